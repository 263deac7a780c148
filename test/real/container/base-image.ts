// Builds a substitute for node:24-bookworm-slim from Debian packages, Node and npm, because no image can be pulled.

import { cp, mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BUILD, type RunOptions, run, temporaryFolder } from './commands.ts';

export const BASE = `localhost/proxywatch-test-base:${process.versions.node}`;

const PACKAGES = ['dash', 'coreutils', 'libstdc++6'];

const CONTAINERFILE = `
FROM scratch
ADD base.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
RUN ["/bin/dash", "-c", "ln -sf dash /bin/sh; mkdir -p /tmp; chmod 1777 /tmp"]
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && node --version && npm --version
`;

/** Builds the image once per machine. Rejects if it cannot be built. */
export const makeBaseImage = async (runOptions: RunOptions): Promise<void> => {
  const exists = await run(runOptions, 'podman', 'image', 'exists', BASE).then(
    () => true,
    () => false,
  );
  if (exists) return;
  await using folder = await temporaryFolder();
  const context = join(folder.path, 'context');
  await mkdir(context);
  const fastOptions = ['--quiet', '--variant=extract', `--include=${PACKAGES.join()}`];
  const excludedFolders = ['doc', 'locale', 'man'].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  );
  await run(
    runOptions,
    'mmdebstrap',
    ...fastOptions,
    ...excludedFolders,
    'bookworm',
    join(context, 'base.tar'),
  );
  await cp(process.execPath, join(context, 'node'));
  await cp(await npmFolder(runOptions), join(context, 'npm'), { recursive: true });
  await writeFile(join(context, 'Containerfile'), CONTAINERFILE);
  await run(
    runOptions,
    'buildah',
    ...BUILD,
    '--tag',
    BASE,
    '--file',
    join(context, 'Containerfile'),
    context,
  );
};

/** Returns the folder of the npm on the PATH, whose program is bin/npm-cli.js in that folder. */
const npmFolder = async (runOptions: RunOptions): Promise<string> => {
  const program = (await run(runOptions, 'sh', '-c', 'command -v npm')).trim();
  return dirname(dirname(await realpath(program)));
};
