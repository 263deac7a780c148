// Starts squid: one port for clients with a password, with and without TLS, one for known addresses, one for no client.

import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { keyPairOf } from './certificates.ts';
import { PASSWORD_HASH, USERNAME } from './names.ts';
import { createFolder, startProgram } from './program.ts';

export interface Squid extends AsyncDisposable {
  /** Ports on 127.0.0.1; those with a 6 are on ::1. */
  readonly ports: Readonly<Record<'basic' | 'basic6' | 'tls' | 'tls6' | 'open' | 'forbidden', number>>;
}

const configOf = (folder: string, ports: Squid['ports']): string => `
http_port 127.0.0.1:${ports.basic} name=basic
http_port [::1]:${ports.basic6} name=basic6
https_port 127.0.0.1:${ports.tls} name=tls tls-cert=${folder}/proxy.pem tls-key=${folder}/proxy.key
https_port [::1]:${ports.tls6} name=tls6 tls-cert=${folder}/proxy.pem tls-key=${folder}/proxy.key
http_port 127.0.0.1:${ports.open} name=open
http_port 127.0.0.1:${ports.forbidden} name=forbidden
acl open myportname open
acl forbidden myportname forbidden
acl blocked dstdomain blocked.example
auth_param basic program /usr/lib/squid/basic_ncsa_auth ${join(folder, 'users')}
auth_param basic children 2 startup=1
acl authenticated proxy_auth REQUIRED
http_access deny forbidden
http_access allow open !blocked
http_access deny open
http_access deny !authenticated
http_access deny blocked
http_access allow authenticated
pid_filename ${join(folder, 'squid.pid')}
cache_log ${join(folder, 'cache.log')}
access_log none
cache deny all
cache_mem 1 MB
coredump_dir none
pinger_enable off
connect_timeout 1 second
forward_max_tries 1
dns_timeout 1 second
dns_retransmit_interval 500 milliseconds
visible_hostname squid.example
`;

export const startSquid = async (mounts: Readonly<Record<string, string>>): Promise<Squid> => {
  const ports = {
    ...{ basic: await freePort(), basic6: await freePort('::1') },
    ...{ tls: await freePort(), tls6: await freePort('::1') },
    ...{ open: await freePort(), forbidden: await freePort() },
  };
  const { cert, key } = keyPairOf('proxy');
  const users = `${USERNAME}:${PASSWORD_HASH}\n`;
  const folder = createFolder({ users, 'proxy.pem': cert, 'proxy.key': key });
  const program = await startProgram({
    command: ['squid', '-N', '-f', folder.write('squid.conf', configOf(folder.path, ports))],
    mounts,
    listens: Object.entries(ports).map(([name, port]) => ({
      host: name.endsWith('6') ? '::1' : '127.0.0.1',
      port,
    })),
  });
  return {
    ports,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
};
