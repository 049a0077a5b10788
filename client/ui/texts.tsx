import type { ReactNode } from 'react';

/** Each text as a paragraph. */
export function Paragraphs({ of }: { of: readonly string[] }) {
  return of.map((text) => <p key={text}>{text}</p>);
}

/** Each text as an item of a list. */
export function Items({ of }: { of: readonly string[] }) {
  return of.map((text) => <li key={text}>{text}</li>);
}

/** Each title with its text, as an entry of a description list. */
export function Entries({ of }: { of: readonly { title: string; text: ReactNode }[] }) {
  return of.map(({ title, text }) => (
    <div key={title}>
      <dt>{title}</dt>
      <dd>{text}</dd>
    </div>
  ));
}
