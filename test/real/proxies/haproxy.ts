// Starts haproxy in front of other proxies: as a plain relay, and with TLS to the prober, also with bad certificates.

import { freePort } from '../../support/free-port.ts';
import { keyPairOf } from './certificates.ts';
import { createFolder, startProgram } from './program.ts';

export interface Haproxy extends AsyncDisposable {
  /**
   * `plain` passes connections on as they are, `tls` ends TLS, and `down` has no server behind it. `expired` and `wrong-name`
   * end TLS with the certificates of these names.
   */
  readonly ports: Readonly<Record<'plain' | 'tls' | 'down' | (typeof BAD_CERTIFICATES)[number], number>>;
}

const BAD_CERTIFICATES = ['expired', 'wrong-name'] as const;

export const startHaproxy = async (
  mounts: Readonly<Record<string, string>>,
  behind: { readonly plain: number; readonly tls: number; readonly down: number },
): Promise<Haproxy> => {
  const ports = {
    ...{ plain: await freePort(), tls: await freePort(), down: await freePort() },
    ...{ expired: await freePort(), 'wrong-name': await freePort() },
  };
  const folder = createFolder();
  const tlsWith = (name: 'proxy' | (typeof BAD_CERTIFICATES)[number]): string => {
    const { cert, key } = keyPairOf(name);
    return `ssl crt ${folder.write(`${name}.pem`, cert + key)}`;
  };
  const config = `
defaults
  mode tcp
  retries 0
  timeout connect 1s
  timeout client 60s
  timeout server 60s
${section('plain', ports.plain, behind.plain)}
${section('tls', ports.tls, behind.tls, tlsWith('proxy'))}
${section('down', ports.down, behind.down)}
${BAD_CERTIFICATES.map((name) => section(name, ports[name], behind.plain, tlsWith(name))).join('')}
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
