// The page of a tester of the provider or of this machine: its place, what is at fault for its failing tests, and its results over time.

import type { TesterDetails } from '../answers.ts';
import type { Page } from './page.ts';
import { setUpTestedSubject, subjectCards } from './tested-subject.ts';

const placeOf = ({ city_name: city, country_id: country }: TesterDetails): string | null =>
  [city, country?.toUpperCase()].filter((name) => name).join(', ') || null;

export const testerPage: Page = {
  content: () => subjectCards('tester'),
  setUp: (context) => {
    const tester = setUpTestedSubject<TesterDetails>(context, {
      kind: 'tester',
      facts: (details) =>
        details.vantage ? { Tester: 'This machine, which probes the proxies' } : { Place: placeOf(details) },
    });
    return { refreshers: [tester.subject, ...tester.others] };
  },
};
