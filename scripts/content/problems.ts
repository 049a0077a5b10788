/** The path to a value in a file: names of fields, and indexes in lists from 0. */
export type Field = readonly (string | number)[];

/** Something that an author has to correct, in words that need no programmer. */
export interface ContentProblem {
  file: string;
  /** Counted from 1; absent where a file or a field is missing altogether. */
  line?: number | undefined;
  /** Such as `price.deposit` or `days[2].date`; empty for a file as a whole. */
  field: string;
  /** What is wrong, and what to do about it. */
  says: string;
}

/** The content cannot be built. Its message lists every problem on a line of its own. */
export class ContentProblems extends Error {
  readonly problems: readonly ContentProblem[];

  constructor(problems: readonly ContentProblem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.name = 'ContentProblems';
    this.problems = problems;
  }
}

/** `…/edition.yaml, line 12, price.deposit: …` */
export function describeProblem({ file, line, field, says }: ContentProblem): string {
  const place = [file, ...(line === undefined ? [] : [`line ${line}`]), ...(field ? [field] : [])];
  return `${place.join(', ')}: ${says}`;
}
