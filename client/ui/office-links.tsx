import { selectSite } from '#client/store/site-slice.ts';
import { useAppSelector } from '#client/store/store.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';

/** The retreat office's e-mail address, as a link that writes to it. */
export function OfficeEmailLink() {
  const { officeEmail } = useAppSelector(selectSite);
  return <a href={mailLink(officeEmail)}>{officeEmail}</a>;
}

/** The retreat office's phone number, as a link that calls it. */
export function OfficePhoneLink() {
  const { officePhone } = useAppSelector(selectSite);
  return <a href={phoneLink(officePhone)}>{officePhone}</a>;
}

/** A text shown in place of the stepper, and how to reach the office. */
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
