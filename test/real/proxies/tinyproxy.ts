// Starts tinyproxy with a password and a filter that refuses a target.

import { freePort } from '../../support/free-port.ts';
import { SIMPLE_PASSWORD, USERNAME } from './names.ts';
import { createFolder, startProgram } from './program.ts';

export interface Tinyproxy extends AsyncDisposable {
  readonly port: number;
}

export const startTinyproxy = async (mounts: Readonly<Record<string, string>>): Promise<Tinyproxy> => {
  const [port, folder] = [await freePort(), createFolder()];
  const lines = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    'Timeout 60',
    'LogLevel Error',
    'MaxClients 100',
    `BasicAuth ${USERNAME} ${SIMPLE_PASSWORD}`,
    `Filter "${folder.write('filter', '^blocked\\.example$\n')}"`,
  ];
  const program = await startProgram({
    command: ['tinyproxy', '-d', '-c', folder.write('tinyproxy.conf', lines.join('\n'))],
    mounts,
    listens: [{ host: '127.0.0.1', port }],
  });
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
};
