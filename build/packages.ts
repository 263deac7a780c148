// Tells the build what becomes of the packages of the daemon: most are copied into its files, some keep their own.

import { globSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';

const SRC = join(import.meta.dirname, '../src');
const MODULES = join(import.meta.dirname, '../node_modules');

/**
 * The packages that keep their own files, which need no others, and those of their files that run. better-sqlite3 has
 * compiled code, and the other files of its package are for compiling it. The page needs the files of uplot. The others
 * are loaded when they are first used.
 */
export const SEPARATE: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['lib/**/*.js', 'prebuilds/*.node'],
  nodemailer: ['dist/cjs/**/*.{js,json}'],
  re2js: ['build/index.cjs'],
  uplot: ['dist/uPlot.esm.js', 'dist/uPlot.min.css'],
};

/**
 * Modules of packages that never run here: Fastify's compilers of JSON schemas (http/server.ts replaces them) and its
 * requests without a connection, and undici's bodies for forms and its experimental parser.
 */
export const UNUSED =
  /^(?:@fastify\/(?:ajv|fast-json-stringify)-compiler|light-my-request)$|\/(?:web\/fetch\/body|milo\/(?:no-)?simd)\.js$/;

const OWN_IMPORT = /(?:from|require\()\s*'((?:@[\w-]+\/)?\w[\w.-]*)[^':]*'/g;

/** Returns the names of the packages that the sources import. They need further packages. */
export const importedPackages = (): string[] => {
  const sources = globSync('**/*.{ts,cjs}', { cwd: SRC }).map((path) =>
    readFileSync(join(SRC, path), 'utf8'),
  );
  const imported = sources.flatMap((text) => [...text.matchAll(OWN_IMPORT)].map(([, name = '']) => name));
  const names = new Set([...imported, ...Object.keys(SEPARATE)]);
  return [...names].filter((name) => !builtinModules.includes(name)).sort();
};

/** The paths of the files of the separate packages by their paths in the build, where Node.js finds them. */
export const separateFiles = (): Map<string, string> =>
  new Map(
    Object.entries(SEPARATE).flatMap(([name, files]) =>
      globSync(['package.json', 'LICENSE', ...files], { cwd: join(MODULES, name) }).map(
        (file) => [`node_modules/${name}/${file}`, join(MODULES, name, file)] as const,
      ),
    ),
  );

/** Returns the name and folder of each package to which one of these modules belongs. */
const packagesOf = (modules: readonly string[]): Map<string, string> =>
  new Map(
    modules.flatMap((path) => {
      const [, folder = '', name = ''] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path) ?? [];
      return name === '' ? [] : [[name, folder] as const];
    }),
  );

const LICENCE_FILE = /^licen[cs]e/i;

/** Returns the licences of the packages of these modules. Most licences must come with each copy of the code. */
export const licencesOf = (modules: readonly string[]): string =>
  [...packagesOf(modules)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, folder]) => {
      const { version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((each) => LICENCE_FILE.test(each));
      const text = file ? readFileSync(join(folder, file), 'utf8') : `Copyright ${author?.name ?? author}`;
      return `${name} ${version} (${license})\n\n${text.trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
