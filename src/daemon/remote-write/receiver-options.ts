// Converts the settings of a receiver to the options of its sender.

import type { ReceiverOptions } from '../../remote-write/receiver-options.ts';
import type { RemoteWriteOptions } from './options.ts';

export const receiverOptionsOf = ({
  name,
  url,
  basic_auth: basicAuth,
  bearer_token: bearerToken,
  headers,
  tls,
  request_timeout: timeoutMs,
}: RemoteWriteOptions): ReceiverOptions => ({ name, url, basicAuth, bearerToken, headers, tls, timeoutMs });
