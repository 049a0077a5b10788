import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { Items } from '#client/ui/texts.tsx';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import type { SessionItem } from '#shared/content/entities.ts';

const { sessions } = page;

/** R1.5: what the sessions consist of, and what follows them. */
export function Sessions() {
  return (
    <PageSection id="sessions" tone="deep">
      <SectionTitle sectionId="sessions">{sessions.title}</SectionTitle>
      <p className="lede">{sessions.intro}</p>
      <ul className="session-list">
        {sessions.items.map((item, index) => (
          <li key={item.title}>
            <MoonPhase index={index} />
            <Session item={item} />
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

function Session({ item }: { item: SessionItem }) {
  return (
    <>
      <h3>{item.title}</h3>
      <p>{item.text}</p>
      {item.parts && (
        <ul className="session-parts">
          <Items of={item.parts} />
        </ul>
      )}
    </>
  );
}

/** The lit part of a waxing moon, from a crescent to the full disc. */
const LIT_PARTS = [
  'M16 3A13 13 0 0 1 16 29 17 17 0 0 0 16 3Z',
  'M16 3A13 13 0 0 1 16 29Z',
  'M16 3A13 13 0 0 1 16 29 8 13 0 0 1 16 3Z',
  'M16 3A13 13 0 0 1 16 29 13 13 0 0 1 16 3Z',
] as const;

/** Decorates the items of a sequence: the moon, one phase fuller each time. */
function MoonPhase({ index }: { index: number }) {
  return (
    <svg className="moon-phase" viewBox="0 0 32 32" aria-hidden="true">
      <circle className="moon-phase-disc" cx="16" cy="16" r="13" />
      <path className="moon-phase-lit" d={LIT_PARTS[index % LIT_PARTS.length]} />
    </svg>
  );
}
