import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { ReserveLink } from '#client/ui/reserve-link.tsx';
import { Stars } from '#client/ui/stars.tsx';
import { closing } from '#shared/content/closing.ts';
import { edition, formatDateSpan } from '#shared/content/edition.ts';

/** R1.12: the last invitation before the registration. */
export function Closing() {
  return (
    <PageSection id="closing" tone="deep">
      <SectionTitle sectionId="closing">{closing.title}</SectionTitle>
      <p className="closing-dates">
        <time dateTime={edition.startDate}>{formatDateSpan(edition.startDate, edition.endDate)}</time>
      </p>
      <p className="lede">{closing.prompt}</p>
      <p className="closing-tuition">
        {closing.tuitionLabel} <strong>{closing.tuition}</strong>{' '}
        <s>
          <span className="visually-hidden">{closing.oldTuitionLabel} </span>
          {closing.oldTuition}
        </s>{' '}
        <span>{closing.savingNote}</span>
      </p>
      <div className="closing-action">
        <ReserveLink />
        <p className="closing-community">
          <Stars count={closing.stars} />
          <span>{closing.community}</span>
        </p>
      </div>
    </PageSection>
  );
}
