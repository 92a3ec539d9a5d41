// Returns a function that says messages of a table which Python handed over: Catalog.table(ids).
function speaker({ language, messages }) {
  const rules = new Intl.PluralRules(language || undefined);
  return (id, values = {}) => {
    const forms = messages[id];
    const form =
      typeof forms === "string" ? forms : (forms[rules.select(values.count)] ?? forms.other);
    return form.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
  };
}
