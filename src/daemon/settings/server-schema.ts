// Defines the settings of the HTTP server.

import { z } from 'zod';
import { hostName, httpUrl, listenAddress, relativePath } from '../../config/primitives.ts';

/** `listen` is the default address. */
export const serverSchema = (listen = '127.0.0.1:9876') =>
  z
    .strictObject({
      listen: listenAddress().prefault(listen).describe('Listen address of the HTTP server'),
      web_config_file: relativePath()
        .optional()
        .describe('File with TLS, client certificates and passwords, in the format of Prometheus exporters'),
      external_url: httpUrl()
        .optional()
        .describe(
          'Address of the status page in your browser. Notifications link to this address. The default is the address of this shard in shards, otherwise the address at which the daemon listens',
        ),
      allowed_hosts: z
        .array(hostName())
        .prefault([])
        .describe(
          'Names under which clients may request this server, in addition to localhost and the hosts of external_url and of this shard in shards',
        ),
      shards: z
        .array(httpUrl())
        .prefault([])
        .describe(
          'Addresses of the status pages of all shards, from shard 0. Each page links to the others, and sends browsers to the shard of the account that they ask for',
        ),
    })
    .prefault({})
    .describe('The HTTP server');
