import { Fragment } from 'react';
import type { LinkedWords } from '#server/mail/letters/links.ts';
import { splitIsolated } from '#server/mail/letters/names.ts';
import { useLook } from './styles.ts';

interface InlineProps {
  text: string;
  links: LinkedWords;
}

/** A month and a day, joined by a no-break space, and what follows: `March 8–11, 2027`. */
const DATE = /(\p{Lu}\p{Ll}+\u00a0\d{1,2}(?:–(?:\p{Lu}\p{Ll}+\u00a0)?\d{1,2})?(?:,\s\d{4})?)/u;

/** A longer word, such as an address, may break: it would push the letter wider than a phone. */
const LONGEST_UNBROKEN = 36;

/** A text with its links, its line breaks, and what people typed kept apart: that is never a link. */
export function Inline({ text, links }: InlineProps) {
  return splitIsolated(text).map((part, index) => {
    const key = `${index} ${part}`;
    return index % 2 === 1 ? <bdi key={key}>{part}</bdi> : <Linked key={key} text={part} links={links} />;
  });
}

function Linked({ text, links }: InlineProps) {
  return text.split(links.pattern).map((part, index) => {
    const key = `${index} ${part}`;
    const href = links.hrefOf(part);
    return href ? (
      <TextLink key={key} href={href}>
        <Unbroken text={part} />
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
      <Dates text={first ?? ''} />
      {others.map((line) => (
        <Fragment key={line}>
          <br />
          <Dates text={line} />
        </Fragment>
      ))}
    </>
  );
}

function Dates({ text }: { text: string }) {
  return text.split(DATE).map((part, index) => {
    const key = `${index} ${part}`;
    return index % 2 === 1 ? <Unbroken key={key} text={part} /> : <Fragment key={key}>{part}</Fragment>;
  });
}

/** A word that stays on one line. */
function Unbroken({ text }: { text: string }) {
  const { styles } = useLook();
  return text.length > LONGEST_UNBROKEN ? text : <span style={styles.unbroken}>{text}</span>;
}

export function TextLink({ href, children }: { href: string; children: React.ReactNode }) {
  const { styles } = useLook();
  return (
    <a className="link" href={href} style={styles.link}>
      {children}
    </a>
  );
}
