/**
 * TypeScript sources import one another as `./x.js`, the name of the compiled file. Under jest the file is still `./x.ts`.
 * @param {string} path
 * @param {{ defaultResolver(path: string, options: object): string }} options
 */
module.exports = (path, options) => {
  try {
    return options.defaultResolver(path, options);
  } catch (error) {
    if (/^\.{1,2}\//.test(path) && path.endsWith('.js')) {
      return options.defaultResolver(`${path.slice(0, -3)}.ts`, options);
    }
    throw error;
  }
};
