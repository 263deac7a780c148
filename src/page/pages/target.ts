// The page of a target: what is at fault for its failing tests, and its results over time.

import type { SubjectDetails } from '../answers.ts';
import type { Page } from './page.ts';
import { setUpTestedSubject, subjectCards } from './tested-subject.ts';

export const targetPage: Page = {
  content: () => subjectCards('target'),
  setUp: (context) => {
    const target = setUpTestedSubject<SubjectDetails>(context, { kind: 'target', facts: () => ({}) });
    return { refreshers: [target.subject, ...target.others] };
  },
};
