package org.apache.http.entity.mime;

import java.io.File;
import org.apache.http.HttpEntity;

/** Stands in for httpmime, which no registry here has: the story uploads no files. */
public class MultipartEntityBuilder {
    public static MultipartEntityBuilder create() {
        return new MultipartEntityBuilder();
    }

    public MultipartEntityBuilder addBinaryBody(String name, File file) {
        return this;
    }

    public MultipartEntityBuilder addTextBody(String name, String text) {
        return this;
    }

    public HttpEntity build() {
        throw new UnsupportedOperationException("forms");
    }
}
