package javax.annotation;

/** Left out of Java since 11; generated code bears it. */
public @interface Generated {
    String[] value();

    String date() default "";

    String comments() default "";
}
