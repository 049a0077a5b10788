import type { ReactNode } from 'react';

export type Replacement = [text: string, by: ReactNode];

/** A text in which other content is shown in place of some words. */
export function withReplacements(text: string, [first, ...others]: readonly Replacement[]): ReactNode {
  if (!first) return text;
  const [words, by] = first;
  const [start = '', ...rest] = text.split(words);
  return rest.reduce<ReactNode>(
    (before, part) => (
      <>
        {before}
        {by}
        {withReplacements(part, others)}
      </>
    ),
    withReplacements(start, others),
  );
}
