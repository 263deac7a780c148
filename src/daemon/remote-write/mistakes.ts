// Finds the mistakes in the settings of remote write that the schema cannot find.

import { COLLECTORS } from '../../collectors/index.ts';
import type { Path } from '../../config/config-error.ts';
import { RESERVED_HEADERS } from '../../remote-write/receiver-options.ts';
import type { RemoteWriteOptions } from './options.ts';

interface FoundMistake {
  readonly path: Path;
  readonly message: string;
}

/** Labels that all series of the history have, or that Prometheus reserves. */
const COMMON_LABELS = ['__name__', 'account', 'revision'];

const historyLabels: ReadonlySet<string> = new Set([
  ...COMMON_LABELS,
  ...COLLECTORS.flatMap(({ history = [] }) =>
    history.flatMap(({ families }) => families.flatMap(({ family }) => family.labels)),
  ),
]);

/** The paths start at the list of receivers. */
export const remoteWriteMistakes = (receivers: readonly RemoteWriteOptions[]): FoundMistake[] =>
  receivers.flatMap((receiver, index) =>
    [
      ...nameMistakes(receiver, receivers.slice(0, index)),
      ...credentialMistakes(receiver),
      ...headerMistakes(receiver),
      ...labelMistakes(receiver),
    ].map(({ path, message }) => ({ path: [index, ...path], message })),
  );

const nameMistakes = ({ name }: RemoteWriteOptions, before: readonly RemoteWriteOptions[]): FoundMistake[] =>
  before.some((other) => other.name === name)
    ? [{ path: ['name'], message: `another receiver is called "${name}" already` }]
    : [];

const credentialMistakes = ({ url, basic_auth, bearer_token, tls }: RemoteWriteOptions): FoundMistake[] => [
  ...(basic_auth && bearer_token
    ? [{ path: ['bearer_token'], message: 'basic_auth is set too; use only one of the two' }]
    : []),
  ...(tls.cert && !tls.key
    ? [{ path: ['tls'], message: 'the client certificate needs its key; set tls.key_file' }]
    : []),
  ...(tls.key && !tls.cert
    ? [{ path: ['tls'], message: 'the key needs its client certificate; set tls.cert_file' }]
    : []),
  ...((tls.ca || tls.cert) && url.reveal().startsWith('http:')
    ? [
        {
          path: ['tls'],
          message: 'the url begins with http://, so certificates have no effect; write https://',
        },
      ]
    : []),
];

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const LABEL_NAME = /^[a-zA-Z_]\w*$/;

const headerMistakes = ({ headers }: RemoteWriteOptions): FoundMistake[] =>
  Object.keys(headers).flatMap((name) => {
    const message = mistakeInHeader(name);
    return message === undefined ? [] : [{ path: ['headers', name], message }];
  });

const mistakeInHeader = (name: string): string | undefined => {
  if (!HEADER_NAME.test(name)) return 'not a valid name of a header';
  const lowerCase = name.toLowerCase();
  if (lowerCase === 'authorization')
    return 'proxywatch writes this header itself; use basic_auth or bearer_token';
  return RESERVED_HEADERS.has(lowerCase) ? 'proxywatch writes this header itself; remove it' : undefined;
};

const labelMistakes = ({ external_labels }: RemoteWriteOptions): FoundMistake[] =>
  Object.keys(external_labels).flatMap((name) => {
    const message = mistakeInLabel(name);
    return message === undefined ? [] : [{ path: ['external_labels', name], message }];
  });

const mistakeInLabel = (name: string): string | undefined => {
  if (!LABEL_NAME.test(name))
    return 'not a valid name of a label; use letters, digits and underscores, and no digit at the start';
  if (historyLabels.has(name))
    return 'the series of the history have this label already; choose another name';
  return name.startsWith('__')
    ? 'names that begin with two underscores are reserved; choose another name'
    : undefined;
};
