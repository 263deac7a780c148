// Declares the plotting library's module, which the server serves beside those of the page.

declare module '*/uPlot.esm.js' {
  import uPlot = require('uplot');
  // biome-ignore lint/style/noDefaultExport: that is what the library's module has
  export default uPlot;
}
