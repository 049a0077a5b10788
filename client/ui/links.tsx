import type { ReactNode } from 'react';
import { selectSite, useAppSelector } from '#client/store/store.ts';
import { reserveLabels } from '#shared/content/page-frame.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { PRIVACY_PANEL_ID, REGISTER_SECTION_ID } from '#shared/page.ts';

export function OfficeEmailLink() {
  const { officeEmail } = useAppSelector(selectSite);
  return <a href={mailLink(officeEmail)}>{officeEmail}</a>;
}

export function OfficePhoneLink() {
  const { officePhone } = useAppSelector(selectSite);
  return <a href={phoneLink(officePhone)}>{officePhone}</a>;
}

export function OfficeContact({ title, text }: { title?: string; text: string }) {
  return (
    <div className="office-contact">
      {title && <h3>{title}</h3>}
      <p>{text}</p>
      <p>
        <OfficeEmailLink />
        <br />
        <OfficePhoneLink />
      </p>
    </div>
  );
}

interface ReserveLinkProps {
  label?: string;
  fullLabel?: string;
  closedLabel?: string;
  doneLabel?: string;
  className?: string;
}

/**
 * A call to action: a plain link to the register section, so it works before any script runs. CSS scrolls
 * smoothly, and the browser moves the starting point of keyboard focus. The label after payment is shown by
 * CSS too, because the sections with these links are not hydrated.
 */
export function ReserveLink({
  label = reserveLabels.open,
  fullLabel = reserveLabels.full,
  closedLabel,
  doneLabel = reserveLabels.done,
  className = 'button',
}: ReserveLinkProps) {
  const { registrationOpen, registrationOpensOn, isFull } = useAppSelector(selectSite);
  return (
    <a className={className} href={`#${REGISTER_SECTION_ID}`}>
      {registrationOpen ? (
        <ReserveWords open={isFull ? fullLabel : label} done={doneLabel} />
      ) : (
        (closedLabel ?? reserveLabels[registrationOpensOn ? 'notYetOpen' : 'closed'])
      )}
    </a>
  );
}

export function ReserveWords({ open, done }: { open: string; done: string }) {
  return (
    <>
      <span className="reserve-open">{open}</span>
      <span className="reserve-done" hidden>
        {done}
      </span>
    </>
  );
}

/** Opens the privacy panel, even before any script runs. */
export function PrivacyButton({ children }: { children: ReactNode }) {
  return (
    <button type="button" className="privacy-button" popoverTarget={PRIVACY_PANEL_ID}>
      {children}
    </button>
  );
}
