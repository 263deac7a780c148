// The page of a proxy user: its quotas with their forecast, its use over time, and its alerts.

import { NAVIGATION } from '../address.ts';
import type { User, UserDetails } from '../answers.ts';
import { bindChoice, chosen, radiosOf, segments } from '../choice.ts';
import { badge, card, factList, localTime } from '../components.ts';
import { html, type Markup, type Value } from '../html.ts';
import { missingSubject } from '../monitored.ts';
import { rangeControl, setUpRange } from '../sections/range-control.ts';
import { section } from '../sections/section.ts';
import { setUpSubjectAlerts } from '../sections/subject-lists.ts';
import { forecastFigure, setUpForecast, setUpUse, useFrame } from '../sections/user-use.ts';
import { elementById, showSubjectIsKnown } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import { type ProductType, quotasOfUser } from '../views/users.ts';
import type { Page, PageContext } from './page.ts';

const typeControl = segments('type', 'Product type of the forecast', {
  residential: 'Residential',
  mobile: 'Mobile',
});

const content = (): Markup => html`
${card({ id: 'quotas', title: 'Quotas', controls: typeControl }, html`<div id="user"></div>${forecastFigure}`)}
${card({ id: 'use', title: 'Use over time', controls: rangeControl }, useFrame)}
${card({ id: 'alerts', title: 'Alerts' }, html`<div id="subject-alerts"></div>`)}`;

const setUp = ({ view: { account, id }, onChange }: PageContext) => {
  const path = `api/v1/accounts/${encodeURIComponent(account)}/users/${encodeURIComponent(id)}`;
  const showForecast = setUpForecast();
  let user: User | null = null;
  /** The type that is shown unless the reader chooses one. The first answer decides it. */
  let preferred: ProductType | undefined;
  const radios = radiosOf('type');
  const drawForecast = (): void => {
    const type = chosenType() ?? preferred ?? 'residential';
    for (const radio of radios) radio.checked = radio.value === type;
    showForecast(user?.quotas[type] ?? null, Date.now());
  };
  const details = section<UserDetails>({
    element: elementById('user'),
    path: () => path,
    draw: (answer) => {
      user = answer;
      showSubjectIsKnown(answer !== null);
      if (answer) preferred ??= typeWithForecast(answer);
      drawForecast();
      if (!answer)
        return missingSubject(account, NAVIGATION.users, 'proxywatch knows no proxy user with this id.');
      const [freshness, now] = [answer.freshness[0], Date.now()];
      return withFreshness({ freshness, now, isEmpty: false }, () => userView(answer, now));
    },
  });
  bindChoice('type', radios, drawForecast);
  setUpRange(onChange);
  return {
    refreshers: [
      details,
      setUpUse(account, id, path),
      setUpSubjectAlerts(account, `proxy_user_id=${id}`, onChange),
    ],
  };
};

const chosenType = (): ProductType | undefined => PRODUCT_TYPES.find((type) => type === chosen('type'));

const PRODUCT_TYPES: readonly ProductType[] = ['residential', 'mobile'];

/** Returns mobile if only the mobile data has a forecast. */
const typeWithForecast = ({ quotas: { residential, mobile } }: User): ProductType =>
  residential.exhausted_at === null && mobile.exhausted_at !== null ? 'mobile' : 'residential';

const userView = (user: UserDetails, now: number): Markup =>
  html`${user.is_deleted ? html`<p class="empty">${badge('none', 'Deleted')} The provider no longer lists this user.</p>` : null}
${quotasOfUser(user, now)}${factList(factsOf(user))}`;

const factsOf = (user: UserDetails): Readonly<Record<string, Value>> => ({
  'Residential use in the last day': riseText(user.rise.residential),
  'Mobile use in the last day': riseText(user.rise.mobile),
  'Client addresses': user.client_addresses && clientsText(user.client_addresses),
  Access: user.access_type,
  'Default user': user.is_default ? 'yes' : null,
  'Addresses that may connect': limited(
    user.ip_address_authentications,
    user.ip_address_authentication_limit,
  ),
  'Restricted to proxies': user.restricted_proxies || null,
  'Restricted to services': user.restricted_services || null,
  Created: user.created_at === null ? null : localTime(user.created_at, 'day'),
});

const riseText = (rise: UserDetails['rise'][ProductType]): Value => {
  if (!rise) return null;
  const causes = rise.causes.length > 0 ? rise.causes.join('; ') : 'no cause is known';
  return `${rise.ratio.toFixed(1)} times that of the last week: ${causes}`;
};

/** More unknown addresses are not counted. */
const MOST = 100;

const clientsText = (clients: NonNullable<UserDetails['client_addresses']>): Value => {
  const { seen, unknown, unknown_since: since, unknown_networks: networks } = clients;
  if (unknown === null) return `${seen} in 24 hours; whether others use the login is not known`;
  if (unknown === 0) return `${seen} in 24 hours, all of them expected`;
  const from = networks.length > 0 ? ` (${networks.join(', ')})` : '';
  return html`${seen} in 24 hours, of which ${badge('fair', `${unknown === MOST ? 'at least ' : ''}${unknown} unknown`)}${from}${since && html`, first on ${localTime(Date.parse(since), 'minute')}`}`;
};

const limited = (amount: number | null, limit: number | null): Value =>
  amount === null ? null : limit === null ? amount : `${amount} of ${limit}`;

export const userPage: Page = { content, setUp };
