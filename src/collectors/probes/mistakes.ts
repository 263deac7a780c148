// Finds mistakes in the options of the probes, alone and together with those of the proxy tests.

import type { Conflict, OtherSettings } from '../collector.ts';
import { duplicates, proxyMistakes } from '../proxy-sources/mistakes.ts';
import { urlLabel } from '../url-label.ts';
import type { ProbeOptions, ProbeUrl } from './options.ts';
import { caFileMistake, depthOf, isHttps } from './targets.ts';

export const mistakesIn = (options: ProbeOptions, { proxy_tests }: OtherSettings): Conflict[] => [
  ...options.urls.flatMap((each, index) => urlMistakes(each, ['urls', index])),
  ...duplicateUrls(options.urls),
  ...(options.control ? controlMistakes(options.control.urls) : []),
  ...caMistakes(options.exit ?? {}, ['exit']),
  ...(options.proxies === 'same'
    ? mistakeIf(!proxy_tests, ['proxies'], NO_TESTS)
    : listMistakes(options.proxies)),
  ...mistakeIf(
    proxy_tests && proxy_tests.tester_servers.includes(options.vantage),
    ['vantage'],
    `a tester server of proxy_tests has the id "${options.vantage}" too; give the vantage another name`,
  ),
];

const mistakeIf = (isMistake: boolean | undefined, path: Conflict['path'], message: string): Conflict[] =>
  isMistake ? [{ path, message }] : [];

/** The command line says the same about its options. */
export const NO_TLS = 'a URL that begins with http:// has no TLS; use tunnel or http';
export const NO_ANSWER = 'only a probe of depth http has an answer';
const NO_TESTS = 'same means the proxies of proxy_tests, but proxy_tests is off; list the proxies here';

const urlMistakes = (each: ProbeUrl, path: Conflict['path']): Conflict[] => {
  const depth = depthOf(each);
  return [
    ...mistakeIf(depth === 'tls' && !isHttps(each.url), [...path, 'depth'], NO_TLS),
    ...mistakeIf(each.expect && depth !== 'http', [...path, 'expect'], `${NO_ANSWER}; set depth: http`),
    ...caMistakes(each, path),
  ];
};

const duplicateUrls = (urls: readonly ProbeUrl[]): Conflict[] =>
  duplicates(
    'urls',
    urls.map((each) => `the url "${urlLabel(each)}"`),
  );

const caMistakes = ({ ca_file }: Pick<ProbeUrl, 'ca_file'>, path: Conflict['path']): Conflict[] => {
  const message = ca_file === undefined ? undefined : caFileMistake(ca_file);
  return message ? [{ path: [...path, 'ca_file'], message }] : [];
};

const controlMistakes = (urls: readonly ProbeUrl[]): Conflict[] =>
  [...duplicateUrls(urls), ...urls.flatMap((each, index) => caMistakes(each, ['urls', index]))].map(
    ({ path, message }) => ({ path: ['control', ...path], message }),
  );

const listMistakes = (proxies: Exclude<ProbeOptions['proxies'], 'same'>): Conflict[] => [
  ...proxyMistakes({ proxies }),
  ...proxies.flatMap((entry, index) => ('ca_file' in entry ? caMistakes(entry, ['proxies', index]) : [])),
];
