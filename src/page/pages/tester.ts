// The page of a tester of the provider: its place, what is at fault for its failing tests, and its results over time.

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
      facts: (details) => ({ Place: placeOf(details) }),
    });
    return { refreshers: [tester.subject, ...tester.others] };
  },
};
