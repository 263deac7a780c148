'use strict';
// Ends the process with one line if this Node.js is too old for proxywatch. Every entry point loads this file before
// any other. It is CommonJS with the syntax of 2009, because old versions must be able to parse it.

var NEEDED_MAJOR = 24;

/**
 * Returns what is wrong with this version of Node.js and what to do about it, or null if it is new enough.
 *
 * @param {string} version as in `process.versions.node`
 * @param {string} path of the program
 * @returns {string | null}
 */
function problemOf(version, path) {
  if (parseInt(version, 10) >= NEEDED_MAJOR) return null;
  return (
    'proxywatch needs Node.js ' +
    NEEDED_MAJOR +
    ' or newer, but ' +
    path +
    ' is Node.js ' +
    version +
    '. Install a newer version from https://nodejs.org/en/download. In a checkout on Linux (x64 or arm64) ' +
    'you can run "npm ci" again instead. Without --omit=optional, "npm ci" installs Node.js ' +
    NEEDED_MAJOR +
    ' for the npm scripts.'
  );
}

var problem = problemOf(process.versions.node, process.execPath);
if (problem !== null) {
  console.error(problem);
  process.exit(1);
}

exports.problemOf = problemOf;
