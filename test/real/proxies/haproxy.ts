// Starts haproxy in front of other proxies: once as a plain relay, and once with TLS to the prober.

import { keyPairOf } from './certificates.ts';
import { freePort } from './listening.ts';
import { createFolder, startProgram } from './program.ts';

export interface Haproxy extends AsyncDisposable {
  /** `plain` passes connections on as they are, `tls` ends TLS, and `down` has no server behind it. */
  readonly ports: Readonly<Record<'plain' | 'tls' | 'down', number>>;
}

export const startHaproxy = async (
  mounts: Readonly<Record<string, string>>,
  behind: { readonly plain: number; readonly tls: number; readonly down: number },
): Promise<Haproxy> => {
  const ports = { plain: await freePort(), tls: await freePort(), down: await freePort() };
  const { cert, key } = keyPairOf('proxy');
  const folder = createFolder({ 'proxy.pem': cert + key });
  const tls = `ssl crt ${folder.path}/proxy.pem`;
  const config = `
defaults
  mode tcp
  retries 0
  timeout connect 1s
  timeout client 60s
  timeout server 60s
${section('plain', ports.plain, behind.plain)}
${section('tls', ports.tls, behind.tls, tls)}
${section('down', ports.down, behind.down)}
`;
  const program = await startProgram({
    command: ['haproxy', '-db', '-f', folder.write('haproxy.cfg', config)],
    mounts,
    listens: Object.values(ports).map((port) => ({ host: '127.0.0.1', port })),
  });
  return {
    ports,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
};

const section = (name: string, port: number, behind: number, options = ''): string => `
listen ${name}
  bind 127.0.0.1:${port} ${options}
  server ${name} 127.0.0.1:${behind}
`;
