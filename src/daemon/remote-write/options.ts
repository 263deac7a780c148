// Defines the configuration of remote write: the receivers of the history, what each of them gets, and mistakes in it.

import { z } from 'zod';
import { basicAuthFor, credentialMistakes } from '../../alerts/receivers/options.ts';
import { secretUrl } from '../../alerts/receivers/routing-options.ts';
import { COLLECTORS } from '../../collectors/index.ts';
import { mistakeIf, mistakesBelow, repeatedName, type SettingMistake } from '../../config/config-error.ts';
import {
  duration,
  headerValue,
  identifier,
  objectWithSecrets,
  pem,
  secret,
} from '../../config/primitives.ts';
import { DAY, MINUTE, SECOND } from '../../lib/time.ts';
import { RESERVED_HEADERS, type ReceiverOptions } from '../../remote-write/receiver-options.ts';

/** The store keeps days of history for years, so a start further back than ten years is a mistake. */
const LONGEST_START_MS = 3_660 * DAY;

/** VictoriaMetrics drops series with more than 40 labels or 64 KiB of them, and 1.79 labels above 30. The history has 8. */
const MAX_EXTERNAL_LABELS = 20;

const receiver = objectWithSecrets(
  {
    name: identifier().describe(
      'Label `receiver`, and the key of the receiver’s progress in the store. With another name, the receiver begins at `start` again',
    ),
    basic_auth: basicAuthFor('the receiver'),
    headers: z
      .record(z.string(), headerValue())
      .prefault({})
      .describe('Further headers of each request, such as the tenant (`X-Scope-OrgID`)'),
    tls: objectWithSecrets(
      {},
      {
        ca: pem().optional().describe('Trusted certificates in PEM, instead of those of the system'),
        cert: pem().optional().describe('Client certificate in PEM'),
        key: pem().optional().describe('Key of the client certificate in PEM'),
      },
    )
      .prefault({})
      .describe('Certificates for an https:// receiver. Files are read again when they change'),
    external_labels: z
      .record(z.string(), z.string().min(1).max(512))
      .prefault({})
      .describe(`Labels that each series gets for this receiver, at most ${MAX_EXTERNAL_LABELS}`),
    start: z
      .union([z.literal('now'), duration({ min: MINUTE, max: LONGEST_START_MS })])
      .prefault('now')
      .describe(
        'Which stored history a new receiver gets: `now` for what happens from now on, or the age of the oldest. In a day that is older than `store.retention.raw`, or that the store has in sums of an hour or of a day, it begins at midnight',
      ),
    type: z
      .enum(['remote_write', 'otlp'])
      .prefault('remote_write')
      .describe('How the receiver gets the samples: by remote write, or by OTLP as gauges'),
    // Without quotes, YAML has a number.
    protocol: z
      .preprocess((value) => (typeof value === 'number' ? value.toFixed(1) : value), z.enum(['1.0', '2.0']))
      .prefault('1.0')
      .describe(
        'Version of remote write. In 2.0, requests describe the metrics, and answers say how many samples were written. A receiver that does not take it gets 1.0',
      ),
    repeat_old: z
      .boolean()
      .prefault(true)
      .describe(
        'Whether the receiver gets accepted samples once more after ten minutes, if it got more than 32 of a series at once. Prometheus can lose the first ones. VictoriaMetrics gets no samples twice',
      ),
    request_timeout: duration({ min: SECOND, max: 10 * MINUTE })
      .prefault('30s')
      .describe('Time limit of each request to the receiver'),
  },
  {
    url: secretUrl().describe('Address of the receiver’s endpoint for remote write, or for metrics by OTLP'),
    query_url: secretUrl()
      .optional()
      .describe(
        'Address at which `export remote-write verify` queries the receiver, without `/api/v1/query`, as in Grafana. The default follows from a `url` of Prometheus or of a single VictoriaMetrics',
      ),
    bearer_token: secret().optional().describe('Token for the receiver'),
  },
);

export const remoteWriteOptions = z
  .array(receiver)
  .prefault([])
  .describe('Receivers of remote write, which get the history with the time at which it happened');

export type RemoteWriteOptions = z.output<typeof receiver>;

export const receiverOptionsOf = ({
  name,
  url,
  basic_auth: basicAuth,
  bearer_token: bearerToken,
  headers,
  tls,
  request_timeout: timeoutMs,
  type,
  protocol,
}: RemoteWriteOptions): ReceiverOptions => ({
  ...{ name, url, basicAuth, bearerToken, headers, tls, timeoutMs },
  protocol: type === 'otlp' ? type : protocol,
  helpOf: (metric) => HELP.get(metric),
});

const historyFamilies = COLLECTORS.flatMap(({ history = [] }) =>
  history.flatMap(({ families }) => families.map(({ family }) => family)),
);

const HELP: ReadonlyMap<string, string> = new Map(historyFamilies.map(({ name, help }) => [name, help]));

/** Labels that all series of the history have, or that Prometheus reserves. */
const COMMON_LABELS = ['__name__', 'account', 'revision'];

const historyLabels: ReadonlySet<string> = new Set([
  ...COMMON_LABELS,
  ...historyFamilies.flatMap(({ labels }) => labels),
]);

/** The paths start at the list of receivers. */
export const remoteWriteMistakes = (receivers: readonly RemoteWriteOptions[]): SettingMistake[] =>
  receivers.flatMap((receiver, index) =>
    mistakesBelow(
      [index],
      [
        ...repeatedName(receivers, index),
        ...credentialMistakes(receiver),
        ...tlsMistakes(receiver),
        ...otlpMistakes(receiver),
        ...keyMistakes('headers', receiver.headers, mistakeInHeader),
        ...mistakeIf(
          Object.keys(receiver.external_labels).length > MAX_EXTERNAL_LABELS,
          ['external_labels'],
          `expected at most ${MAX_EXTERNAL_LABELS} labels, because receivers can drop series with more; remove some`,
        ),
        ...keyMistakes('external_labels', receiver.external_labels, (name) =>
          mistakeInLabel(name, receiver.type),
        ),
      ],
    ),
  );

const tlsMistakes = ({ url, tls }: RemoteWriteOptions): SettingMistake[] => [
  ...mistakeIf(tls.cert && !tls.key, ['tls'], 'the client certificate needs its key; set tls.key_file'),
  ...mistakeIf(tls.key && !tls.cert, ['tls'], 'the key needs its client certificate; set tls.cert_file'),
  ...mistakeIf(
    (tls.ca || tls.cert) && url.reveal().startsWith('http:'),
    ['tls'],
    'the url begins with http://, so certificates have no effect; write https://',
  ),
];

/** Requests to the address of the other kind would fail for as long as nobody looks. */
const otlpMistakes = ({ type, url, protocol }: RemoteWriteOptions): SettingMistake[] => {
  const isOtlp = type === 'otlp';
  const { pathname } = new URL(url.reveal());
  return [
    ...mistakeIf(
      isOtlp && protocol !== '1.0',
      ['protocol'],
      'OTLP has no versions of remote write; remove it',
    ),
    ...mistakeIf(
      isOtlp && pathname.endsWith('/api/v1/write'),
      ['url'],
      'this address takes remote write; write the one for OTLP, which ends with /v1/metrics, or remove type',
    ),
    ...mistakeIf(
      !isOtlp && pathname.endsWith('/v1/metrics'),
      ['url'],
      'this address takes OTLP; write "type: otlp", or the address for remote write',
    ),
  ];
};

const keyMistakes = (
  setting: string,
  map: object,
  mistakeIn: (key: string) => string | undefined,
): SettingMistake[] =>
  Object.keys(map).flatMap((key) => {
    const message = mistakeIn(key);
    return message === undefined ? [] : [{ path: [setting, key], message }];
  });

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** VictoriaMetrics drops series with a longer name of a label. */
const LABEL_NAME = /^[a-zA-Z_]\w{0,255}$/;

const mistakeInHeader = (name: string): string | undefined => {
  if (!HEADER_NAME.test(name)) return 'not a valid name of a header';
  const lowerCase = name.toLowerCase();
  if (lowerCase === 'authorization')
    return 'proxywatch writes this header itself; use basic_auth or bearer_token';
  return RESERVED_HEADERS.has(lowerCase) ? 'proxywatch writes this header itself; remove it' : undefined;
};

/** Prometheus writes such labels of OTLP in another way. */
const CHANGED_BY_OTLP = /^_|__/;

const mistakeInLabel = (name: string, type: RemoteWriteOptions['type']): string | undefined => {
  if (!LABEL_NAME.test(name))
    return 'not a valid name of a label; use at most 256 letters, digits and underscores, and no digit at the start';
  if (historyLabels.has(name))
    return 'the series of the history have this label already; choose another name';
  if (name.startsWith('__')) return 'names that begin with two underscores are reserved; choose another name';
  return type === 'otlp' && CHANGED_BY_OTLP.test(name)
    ? 'receivers of OTLP can change names with an underscore at the start or two in a row; choose another name'
    : undefined;
};
