// Finds mistakes in the options of the probes, alone and together with those of the proxy tests.

import type { Conflict, OtherSettings } from '../collector.ts';
import { duplicates, proxyMistakes } from '../proxy-sources/mistakes.ts';
import { urlLabel } from '../url-label.ts';
import { caFileMistake } from './ca-file.ts';
import type { ProbeOptions, ProbeUrl } from './options.ts';
import { depthOf, isHttps } from './targets.ts';

export const mistakesIn = (options: ProbeOptions, { proxy_tests }: OtherSettings): Conflict[] => [
  ...options.urls.flatMap((each, index) => urlMistakes(each, ['urls', index])),
  ...duplicates(
    'urls',
    options.urls.map((each) => `the url "${urlLabel(each)}"`),
  ),
  ...controlMistakes(options),
  ...(options.exit ? caMistakes(options.exit, ['exit']) : []),
  ...(options.proxies === 'same' ? sameMistakes(proxy_tests) : listMistakes(options.proxies)),
  ...vantageMistakes(options, proxy_tests),
];

/** The command line says the same about its options. */
export const NO_TLS = 'a URL that begins with http:// has no TLS; use tunnel or http';
export const NO_ANSWER = 'only a probe of depth http has an answer';

const urlMistakes = (each: ProbeUrl, path: Conflict['path']): Conflict[] => {
  const depth = depthOf(each);
  return [
    ...(depth === 'tls' && !isHttps(each.url)
      ? [
          {
            path: [...path, 'depth'],
            message: NO_TLS,
          },
        ]
      : []),
    ...(each.expect && depth !== 'http'
      ? [{ path: [...path, 'expect'], message: `${NO_ANSWER}; set depth: http` }]
      : []),
    ...caMistakes(each, path),
  ];
};

const caMistakes = ({ ca_file }: Pick<ProbeUrl, 'ca_file'>, path: Conflict['path']): Conflict[] => {
  const message = ca_file === undefined ? undefined : caFileMistake(ca_file);
  return message ? [{ path: [...path, 'ca_file'], message }] : [];
};

const controlMistakes = ({ control }: ProbeOptions): Conflict[] =>
  control
    ? [
        ...duplicates(
          'urls',
          control.urls.map((each) => `the url "${urlLabel(each)}"`),
        ),
        ...control.urls.flatMap((each, index) => caMistakes(each, ['urls', index])),
      ].map(({ path, message }) => ({ path: ['control', ...path], message }))
    : [];

const sameMistakes = (proxy_tests: OtherSettings['proxy_tests']): Conflict[] =>
  proxy_tests
    ? []
    : [
        {
          path: ['proxies'],
          message: 'same means the proxies of proxy_tests, but proxy_tests is off; list the proxies here',
        },
      ];

const listMistakes = (proxies: Exclude<ProbeOptions['proxies'], 'same'>): Conflict[] => [
  ...proxyMistakes({ proxies }),
  ...proxies.flatMap((entry, index) => {
    if (!('ca_file' in entry) || entry.ca_file === undefined) return [];
    const message = caFileMistake(entry.ca_file);
    return message ? [{ path: ['proxies', index, 'ca_file'], message }] : [];
  }),
];

const vantageMistakes = ({ vantage }: ProbeOptions, proxy_tests: OtherSettings['proxy_tests']): Conflict[] =>
  proxy_tests && proxy_tests.tester_servers.includes(vantage)
    ? [
        {
          path: ['vantage'],
          message: `a tester server of proxy_tests has the id "${vantage}" too; give the vantage another name`,
        },
      ]
    : [];
