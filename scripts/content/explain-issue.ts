import type { BaseIssue } from 'valibot';
import type { Field } from './problems.ts';

/**
 * What a value has to look like, by the valibot check that refused it; not used for a check with its own
 * message.
 */
const EXAMPLES: Readonly<Record<string, string>> = {
  iso_date: 'a date such as 2027-03-08',
  iso_time: 'a time of the 24-hour clock, two digits each, such as 08:30 or 17:30 (5:30 pm)',
  iso_date_time: 'a date and a time such as 2027-03-08T00:00',
  iso_timestamp: 'a date and a time in UTC such as 2026-10-15T00:00:00Z',
  url: 'an address such as https://author.example/',
  integer: 'a whole number',
  min_value: 'a larger number',
  max_value: 'a smaller number',
  non_empty: 'something: it must not be empty',
  number: 'a number such as 1395 or 3.75, without quotes, commas or signs',
  string: 'words (in quotes if they are only digits)',
  boolean: 'true or false',
  literal: 'true, or delete the field',
  array: 'a list, each entry after a dash',
  tuple: 'two numbers such as [50, 40]',
  strict_object: 'fields below it, indented',
};

/** Plain words for what valibot calls an object or a list. */
const KINDS: Readonly<Record<string, string>> = { Object: 'fields', Array: 'a list' };

/** Explains to an author what a schema refused: the field, and what to do. */
export function explainIssue(issue: BaseIssue<unknown>): { field: Field; says: string } {
  const field = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  return { field, says: sayingOf(issue) };
}

function sayingOf(issue: BaseIssue<unknown>): string {
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return 'nothing reads this field: correct its name, or delete it';
  }
  if (issue.received === 'undefined') return 'this is missing: add it, as another edition has it';
  if (issue.input === null) return `this is empty: write ${wantedBy(issue)}`;
  return `this is ${KINDS[issue.received] ?? shown(issue)}: write ${wantedBy(issue)}`;
}

/** As the author wrote it. */
function shown({ input, received }: BaseIssue<unknown>): string {
  return typeof input === 'string' ? `“${input}”` : received;
}

function wantedBy(issue: BaseIssue<unknown>): string {
  const wanted = (issue.issues ?? []).map(wantedBy);
  if (wanted.length > 0) return [...new Set(wanted)].join(', or ');
  if (!issue.message.startsWith('Invalid ')) return issue.message;
  if (issue.type === 'picklist')
    return `one of ${(issue.expected ?? '').replace(/[()"]/g, '').replaceAll(' | ', ', ')}`;
  return EXAMPLES[issue.type] ?? `what fits ${issue.expected}`;
}
