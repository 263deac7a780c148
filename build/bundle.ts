// Builds the program into dist/, with all that it needs apart from Node.js: a few JavaScript files instead of 1,200, which
// take less memory and disk and start faster. A single file would take 6 MB more memory, because V8 keeps the text of so
// large a file outside of the heap.

import { chmodSync, globSync, readFileSync, utimesSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type InputOptions, type OutputBundle, type OutputOptions, rolldown } from 'rolldown';
import { licencesOf, SEPARATE, separateFiles, UNUSED } from './packages.ts';
import { replaceFiles } from './replace-files.ts';

const SRC = join(import.meta.dirname, '../src');
const DIST = join(import.meta.dirname, '../dist');
/** The modules that a process or a thread starts with. They have fixed names. */
const PROGRAMS = ['main', 'health-check'];
const THREADS = ['store/sqlite/file/worker-thread', 'http/web-config/bcrypt-worker'];

type Files = [path: string, content: string | Uint8Array][];

interface Bundle {
  readonly files: Files;
  /** The paths of the modules whose code is in the files. */
  readonly modules: readonly string[];
}

const bundle = async (input: InputOptions, options: OutputOptions): Promise<Bundle> => {
  await using build = await rolldown(input);
  const { output } = await build.generate({
    ...options,
    comments: false,
    plugins: [{ name: 'ascii', generateBundle: escapeNonAscii }],
  });
  return {
    files: output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]),
    modules: output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])),
  };
};

/** V8 keeps a whole file in two bytes per character if a single character needs more than one. */
const escapeNonAscii = (_options: unknown, files: OutputBundle): void => {
  for (const file of Object.values(files)) {
    if (file.type === 'chunk')
      file.code = file.code.replace(
        /[^\0-\x7f]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
  }
};

const entries = [...PROGRAMS, ...THREADS].map((path) => [basename(path), join(SRC, `${path}.ts`)]);
const commonJs = globSync(join(SRC, '*.cjs'));
const styles = globSync(join(SRC, 'page/*.{css,svg}'));

const isOwnCommonJs = (id: string, importer = ''): boolean =>
  id.endsWith('.cjs') && dirname(importer) === resolve(SRC);

const startedAt = new Date();
const programs = await bundle(
  {
    input: Object.fromEntries(entries),
    platform: 'node',
    // The .cjs files must work in old versions of Node.js, so they are copied as they are.
    external: (id, importer) => id in SEPARATE || UNUSED.test(id) || isOwnCommonJs(id, importer),
    // Node.js 24 runs all of the sources' syntax. tsconfig.json names an older target, for a tool of the docs.
    tsconfig: false,
  },
  {
    entryFileNames: ({ name }) => (PROGRAMS.includes(name) ? '[name].js' : 'chunks/[name].js'),
    // Paths relative to a module, such as ../page, are the same in src/<folder>/ and in dist/chunks/.
    chunkFileNames: 'chunks/[name].js',
    // V8 keeps the text of each file in memory. Stack traces name functions and classes.
    minify: { mangle: { keepNames: true }, codegen: { removeWhitespace: true }, compress: true },
  },
);
// The page's modules stay separate, because the browser loads them one by one.
const page = await bundle(
  {
    input: globSync(join(SRC, 'page/**/*.ts'), { exclude: ['**/*.d.ts'] }),
    external: /uPlot/,
    treeshake: false,
  },
  { preserveModules: true, preserveModulesRoot: join(SRC, 'page') },
);
const copies = new Map([
  ...commonJs.map((file) => [basename(file), file] as const),
  ...styles.map((file) => [`page/${basename(file)}`, file] as const),
  ...separateFiles(),
]);
const isMain = ([path]: Files[number]): boolean => path === 'main.js';
replaceFiles(
  DIST,
  new Map([
    ...page.files.map(([path, content]): Files[number] => [`page/${path}`, content]),
    ...[...copies].map(([path, file]): Files[number] => [path, readFileSync(file)]),
    ['LICENSES.txt', licencesOf(programs.modules)],
    // The main file comes last, because start.mjs takes its time for the time of the whole build.
    ...programs.files.toSorted((one, other) => Number(isMain(one)) - Number(isMain(other))),
  ]),
);
// start.mjs compares the time of this file with the times of the sources.
utimesSync(join(DIST, 'main.js'), startedAt, startedAt);
chmodSync(join(DIST, 'main.js'), 0o755);
