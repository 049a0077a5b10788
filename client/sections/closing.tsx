import { useAppSelector } from '#client/store/hooks.ts';
import { selectSite } from '#client/store/site-slice.ts';
import { Art } from '#client/ui/art.tsx';
import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { ReserveLink } from '#client/ui/reserve-link.tsx';
import { Stars } from '#client/ui/stars.tsx';
import { closing } from '#shared/content/closing.ts';
import { edition, formatDateSpan } from '#shared/content/edition.ts';
import { wholePrice } from '#shared/content/policies.ts';

/** R1.12: the last invitation before the registration. */
export function Closing() {
  const { registrationOpen } = useAppSelector(selectSite);
  return (
    <PageSection id="closing" tone="deep">
      <div className="closing-text">
        <SectionTitle sectionId="closing">{closing.title}</SectionTitle>
        <p className="closing-dates">
          <time dateTime={edition.startDate}>{formatDateSpan(edition.startDate, edition.endDate)}</time>
        </p>
        <p className="lede">{registrationOpen ? closing.prompt : closing.closedPrompt}</p>
        {registrationOpen && <Tuition />}
        <div className="closing-action">
          <ReserveLink />
          <p className="closing-community">
            <Stars count={closing.stars} />
            <span>{closing.community}</span>
          </p>
        </div>
      </div>
      <Art name={closing.img} className="closing-art" />
    </PageSection>
  );
}

function Tuition() {
  return (
    <p className="closing-tuition">
      {closing.tuitionLabel} <strong>{closing.tuition}</strong>
      {'\u00a0· '}
      <s>
        <span className="visually-hidden">{closing.oldTuitionLabel} </span>
        {closing.oldTuition}
      </s>
      {'\u00a0· '}
      <span>{closing.savingNote}</span>
      <small>{wholePrice}</small>
    </p>
  );
}
