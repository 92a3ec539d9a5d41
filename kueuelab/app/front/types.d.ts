// What say.js, a script of the page that is no module, defines.
declare function speaker(table: any): (id: string, values?: Record<string, string | number>) => string;
