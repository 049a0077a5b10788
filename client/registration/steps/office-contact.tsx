import { OfficeEmailLink, OfficePhoneLink } from '#client/ui/office-links.tsx';

/** A few kind words in the stepper's place, and how to reach the office. */
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
