import { selectSite } from '#client/store/site-slice.ts';
import { useAppSelector } from '#client/store/store.ts';
import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { Picture } from '#client/ui/picture.tsx';
import { ReserveLink } from '#client/ui/reserve-link.tsx';
import { Stars } from '#client/ui/stars.tsx';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { wholePrice } from '#shared/content/prices.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatDateSpan } from '#shared/dates.ts';
import { formatDollars } from '#shared/money.ts';

const { closing } = page;

/** R1.12: the last invitation before the registration. */
export function Closing() {
  const { registrationOpen, registrationOpensOn, isFull } = useAppSelector(selectSite);
  const notOpen = registrationOpensOn
    ? `${registrationCopy.notYetOpen.title(registrationOpensOn)}.`
    : closing.closedPrompt;
  return (
    <PageSection id="closing" tone="deep">
      <div className="closing-text">
        <SectionTitle sectionId="closing">{closing.title}</SectionTitle>
        <p className="closing-dates">
          <time dateTime={facts.startDate}>{formatDateSpan(facts.startDate, facts.endDate)}</time>
        </p>
        <p className="lede">{registrationOpen ? closing.prompt : notOpen}</p>
        {registrationOpen && !isFull && <Tuition />}
        <div className="closing-action">
          <ReserveLink />
          <p className="closing-community">
            <Stars count={closing.stars} />
            <span>{closing.community}</span>
          </p>
        </div>
      </div>
      <Picture of={closing} className="closing-art" />
    </PageSection>
  );
}

function Tuition() {
  return (
    <p className="closing-tuition">
      {closing.tuitionLabel} <strong>{formatDollars(facts.retreatPackage.total)}</strong>
      {'\u00a0· '}
      <s>
        <span className="visually-hidden">{closing.oldTuitionLabel} </span>
        {formatDollars(facts.retreatPackage.oldPrice)}
      </s>
      {'\u00a0· '}
      <span>{closing.savingNote}</span>
      <small>{wholePrice(facts)}</small>
    </p>
  );
}
