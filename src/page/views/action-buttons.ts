// Builds the buttons that silence alerts, say that somebody works on them, or end a silence.

import { VIEWS_BY_LABEL } from '../address.ts';
import { html, type Markup } from '../html.ts';

/** What a silence matches, in the fields of the API. */
export interface SilenceScope {
  readonly account?: string;
  readonly alert?: string;
  /** `label=value`. */
  readonly subject?: string;
}

type Labels = Readonly<Record<string, string>>;

/** Returns what matches these alerts. One about a user matches the same alert about both products of the user. */
export const scopesOf = (alert: string, examples: readonly { readonly labels: Labels }[]): SilenceScope[] => {
  const scopes = examples.map(({ labels }) => scopeOf(alert, labels));
  return [...new Map(scopes.map((scope) => [JSON.stringify(scope), scope])).values()];
};

const ALERTS_OF_GRAPHS = ['TrafficErrorRatioHigh', 'TrafficStopped'];

const scopeOf = (alert: string, { account, ...others }: Labels): SilenceScope => {
  // Without a graph, they are about the whole account, and not about each graph.
  const label = subjectLabelIn(others) ?? (ALERTS_OF_GRAPHS.includes(alert) ? 'graph' : undefined);
  return {
    ...(account !== undefined && { account }),
    alert,
    ...(label !== undefined && { subject: `${label}=${others[label] ?? ''}` }),
  };
};

/** Returns the label that says most. The order of labels says nothing: the store sorts them by name. */
const subjectLabelIn = (labels: Labels): string | undefined =>
  [...Object.keys(VIEWS_BY_LABEL), ...Object.keys(labels).filter((label) => label !== SHARD), SHARD].find(
    (label) => labels[label],
  );

/** Alerts about a daemon have it if there are several. */
const SHARD = 'shard';

/** Several scopes get a silence each. `about` says in words what they match, and names the buttons. */
export const silenceButtons = (
  scopes: readonly SilenceScope[],
  about: string,
  tested: TestableSubject | null = null,
): Markup =>
  html`<span class="acts script-only">${button(scopes, about, 'silence', 'Silence')} ${button(scopes, about, 'work', 'I am on it')} ${tested && testButton(tested)}</span>`;

const button = (scopes: readonly SilenceScope[], about: string, kind: string, text: string): Markup =>
  html`<button type="button" class="act" data-focus="${kind} ${about}" data-kind="${kind}" data-scopes="${JSON.stringify(scopes)}" data-about="${about}" aria-label="${text}: ${about}">${text}</button>`;

/** What the API can test now. */
export interface TestableSubject {
  readonly kind: 'proxy' | 'target' | 'tester';
  readonly id: string;
}

/** The name of each kind in the API. */
export const TESTED_LABELS = { proxy_id: 'proxy', url: 'target', tester_server: 'tester' } as const;

export const testButton = ({ kind, id }: TestableSubject): Markup =>
  html`<button type="button" class="act" data-focus="test ${id}" data-test="${kind}" data-id="${id}" aria-label="Test now: ${id}">Test now</button>`;

/** Ends all silences with these ids. */
export const endButton = (ids: readonly string[], about: string): Markup =>
  html`<button type="button" class="act script-only" data-focus="end ${ids[0] ?? ''}" data-end="${ids.join(' ')}" aria-label="End now: ${about}">End now</button>`;

/** The comment of a silence that says who works on the alerts. */
export const workComment = (name: string, reason: string): string =>
  `${name} is on it${reason === '' ? '' : `: ${reason}`}`;

/** When a silence ends, in the fields of the API. */
export type SilenceEnd = { readonly for: string } | { readonly until_resolved: true };

/** Returns the command that does the same, for a shell. */
export const silenceCommand = (
  { account, alert, subject }: SilenceScope,
  end: SilenceEnd,
  comment: string,
  url: string,
): string =>
  ['proxywatch silence add', ...Object.entries({ account, alert, subject, ...end, comment, url })]
    .flatMap((part) => {
      if (typeof part === 'string') return part;
      const [name, value] = part;
      const option = `--${name.replace('_', '-')}`;
      if (value === true) return option;
      return value === undefined ? [] : `${option} ${quoted(value)}`;
    })
    .join(' ');

export const quoted = (value: string): string =>
  /^[\w.:/=@-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;
