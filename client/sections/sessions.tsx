import { MoonPhase } from '#client/ui/moon-phase.tsx';
import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
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
          {item.parts.map((part) => (
            <li key={part}>{part}</li>
          ))}
        </ul>
      )}
    </>
  );
}
