// The page of a purchased service: what was bought, until when it is paid, its proxies and its alerts.

import { NAVIGATION } from '../address.ts';
import type { InventoryProxy, Service, ServiceDetails } from '../answers.ts';
import { card, factList, localTime } from '../components.ts';
import { html, type Value } from '../html.ts';
import { missingSubject } from '../monitored.ts';
import { setUpList } from '../paged-list.ts';
import { section } from '../sections/section.ts';
import { adjustmentFrame, setUpAdjustments, setUpSubjectAlerts } from '../sections/subject-lists.ts';
import { elementById, showSubjectIsKnown } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import { proxiesOfService } from '../views/inventory.ts';
import { serviceTable } from '../views/market.ts';
import type { Page, PageContext } from './page.ts';

const dateOf = (at: string | null): Value => (at === null ? null : localTime(at, 'day'));

const factsOf = (service: Service): Readonly<Record<string, Value>> => ({
  Protocol: service.protocol,
  Bought: dateOf(service.created_at),
  'Earliest end': dateOf(service.earliest_cancellation_at),
  'Automatic collection':
    service.is_automatic_collection === null ? null : yesOrNo(service.is_automatic_collection),
  'Payment method': service.has_payment_method === null ? null : yesOrNo(service.has_payment_method),
});

const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');

const setUp = ({ view: { account, id }, onChange }: PageContext) => {
  const service = section<ServiceDetails>({
    element: elementById('service'),
    path: () => `api/v1/accounts/${encodeURIComponent(account)}/services/${encodeURIComponent(id)}`,
    draw: (found) => {
      showSubjectIsKnown(found !== null);
      if (!found)
        return missingSubject(account, NAVIGATION.services, 'proxywatch knows no service with this id.');
      const [freshness, now] = [found.freshness[0], Date.now()];
      return withFreshness(
        { freshness, now, isEmpty: false },
        () => html`${serviceTable([found], now)}${factList(factsOf(found))}`,
      );
    },
  });
  const proxies = setUpList<InventoryProxy>({
    id: 'proxy-list',
    itemName: 'proxies of the service',
    path: () => `api/v1/inventory?${new URLSearchParams({ account, service_id: id })}`,
    draw: proxiesOfService,
    noItems: 'The inventory has no proxies of this service.',
    onChange,
  });
  return {
    refreshers: [
      service,
      proxies,
      ...setUpAdjustments({ account, service_id: id }, onChange),
      setUpSubjectAlerts(account, `service_id=${id}`, onChange),
    ],
  };
};

export const servicePage: Page = {
  content: () => html`
${card({ id: 'bought', title: 'Service' }, html`<div id="service"></div>${adjustmentFrame()}`)}
${card({ id: 'proxies', title: 'Proxies' }, html`<div id="proxy-list"></div>`)}
${card({ id: 'alerts', title: 'Alerts' }, html`<div id="subject-alerts"></div>`)}`,
  setUp,
};
