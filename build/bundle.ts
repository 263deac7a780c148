// Builds the program into dist/: as a few JavaScript files instead of 600, which take less memory and start faster.
// Dependencies stay packages of their own, so that stack traces name their files. Only zod is copied into the build,
// because it has 150 files, and the program needs a third of them.

import { chmodSync, copyFileSync, globSync, rmSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type InputOptions, type OutputBundle, type OutputOptions, rolldown } from 'rolldown';

const SRC = join(import.meta.dirname, '../src');
const DIST = join(import.meta.dirname, '../dist');
/** The modules that a process or a thread starts with. They have fixed names. */
const PROGRAMS = ['main', 'health-check'];
const THREADS = ['store/sqlite/file/worker-thread', 'http/web-config/bcrypt-worker'];

/** Besides zod, the bundler brings helper functions of its own. */
const COPIED = /^(?:zod$|@oxc-project\/)/;

const bundle = async (input: InputOptions, output: OutputOptions): Promise<void> => {
  await using build = await rolldown(input);
  await build.write({
    ...output,
    comments: false,
    plugins: [{ name: 'ascii', generateBundle: escapeNonAscii }],
  });
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

const startedAt = new Date();
rmSync(DIST, { recursive: true, force: true });
await bundle(
  {
    input: Object.fromEntries(entries),
    platform: 'node',
    // The .cjs files must work in old versions of Node.js, so they are copied as they are.
    external: (id) => (/^[^./]/.test(id) && !COPIED.test(id)) || id.endsWith('.cjs'),
    // Node.js 24 runs all of the sources' syntax. tsconfig.json names an older target, for a tool of the docs.
    tsconfig: false,
  },
  {
    dir: DIST,
    entryFileNames: ({ name }) => (PROGRAMS.includes(name) ? '[name].js' : 'chunks/[name].js'),
    // Paths relative to a module, such as ../page, are the same in src/<folder>/ and in dist/chunks/.
    chunkFileNames: 'chunks/[name].js',
  },
);
// The page's modules stay separate, because the browser loads them one by one.
await bundle(
  {
    input: globSync(join(SRC, 'page/**/*.ts'), { exclude: ['**/*.d.ts'] }),
    external: /uPlot/,
    treeshake: false,
  },
  { dir: join(DIST, 'page'), preserveModules: true, preserveModulesRoot: join(SRC, 'page') },
);
for (const file of commonJs) copyFileSync(file, join(DIST, basename(file)));
copyFileSync(join(SRC, '../node_modules/zod/LICENSE'), join(DIST, 'zod.LICENSE'));
for (const file of styles) copyFileSync(file, join(DIST, 'page', basename(file)));
// start.mjs compares the time of this file with the times of the sources.
utimesSync(join(DIST, 'main.js'), startedAt, startedAt);
chmodSync(join(DIST, 'main.js'), 0o755);
