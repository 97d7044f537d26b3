// Starts the pages: collapsed, searchable by the words of operations, and with the key kept for as
// long as the tab is open.

// Swagger UI keeps the key in the local storage, which outlasts the session.
Object.defineProperty(window, "localStorage", { value: window.sessionStorage });

// Its own search knows the names of areas only, letter by letter.
function search(areas, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (texts) => {
    const text = texts.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = (name) => (entry) => {
    const operation = (key) => entry.getIn(["operation", key], "");
    return has([
      name, entry.get("method"), entry.get("path"),
      operation("operationId"), operation("summary"), operation("description"),
    ]);
  };
  return areas
    .map((area, name) => area.update("operations", (all) => all.filter(found(name))))
    .filter((area) => area.get("operations").size > 0);
}

window.onload = () => {
  window.ui = SwaggerUIBundle({
    dom_id: "#swagger-ui",
    url: "openapi.json",
    layout: "BaseLayout",
    docExpansion: "none",
    defaultModelsExpandDepth: -1,
    filter: true,
    deepLinking: true,
    persistAuthorization: true,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [{ fn: { opsFilter: search } }],
  });
};
