import { Fragment } from 'react';
import type { LinkedWords } from '#server/mail/messages/links.ts';
import { splitIsolated } from '#server/mail/messages/names.ts';
import { styles } from './styles.ts';

interface InlineProps {
  text: string;
  links: LinkedWords;
}

/** A text with its links, its line breaks, and what people typed kept apart: that is never a link. */
export function Inline({ text, links }: InlineProps) {
  return splitIsolated(text).map((part, index) => {
    const key = `${index} ${part}`;
    return index % 2 === 1 ? <bdi key={key}>{part}</bdi> : <Linked key={key} text={part} links={links} />;
  });
}

function Linked({ text, links }: InlineProps) {
  const words = new RegExp(`(${[...links.keys()].map(escapePattern).join('|')})`);
  return text.split(words).map((part, index) => {
    const key = `${index} ${part}`;
    const href = links.get(part);
    return href ? (
      <TextLink key={key} href={href}>
        {part}
      </TextLink>
    ) : (
      <Lines key={key} text={part} />
    );
  });
}

function Lines({ text }: { text: string }) {
  const [first, ...others] = text.split('\n');
  return (
    <>
      {first}
      {others.map((line) => (
        <Fragment key={line}>
          <br />
          {line}
        </Fragment>
      ))}
    </>
  );
}

export function TextLink({ href, children }: { href: string; children: React.ReactNode }) {
  return (
    <a className="link" href={href} style={styles.link}>
      {children}
    </a>
  );
}

function escapePattern(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
