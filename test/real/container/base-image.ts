// A look-alike of node:24-bookworm-slim, made of Debian's packages, Node and npm, for no image can be pulled.

import { cp, mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BUILD, run, temporaryFolder, type Where } from './commands.ts';

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

/** Made once a machine. Rejects where none can be made. */
export const makeBaseImage = async (where: Where): Promise<void> => {
  const isThere = await run(where, 'podman', 'image', 'exists', BASE).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await using folder = await temporaryFolder();
  const context = join(folder.path, 'context');
  await mkdir(context);
  const quick = ['--quiet', '--variant=extract', `--include=${PACKAGES.join()}`];
  const small = ['doc', 'locale', 'man'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  await run(where, 'mmdebstrap', ...quick, ...small, 'bookworm', join(context, 'base.tar'));
  await cp(process.execPath, join(context, 'node'));
  await cp(await npmFolder(where), join(context, 'npm'), { recursive: true });
  await writeFile(join(context, 'Containerfile'), CONTAINERFILE);
  await run(where, 'buildah', ...BUILD, '--tag', BASE, '--file', join(context, 'Containerfile'), context);
};

/** Of the npm on the path, whose program is bin/npm-cli.js in it. */
const npmFolder = async (where: Where): Promise<string> => {
  const program = (await run(where, 'sh', '-c', 'command -v npm')).trim();
  return dirname(dirname(await realpath(program)));
};
