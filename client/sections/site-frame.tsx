import type { ReactNode } from 'react';
import { Island } from '#client/islands/island.tsx';
import { SiteMenu } from '#client/islands/site-menu.tsx';
import { selectSite, useAppSelector } from '#client/store/store.ts';
import { OfficeEmailLink, OfficePhoneLink, PrivacyButton, ReserveLink } from '#client/ui/links.tsx';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { pageFrame } from '#shared/content/page-frame.ts';
import { privacyButtons } from '#shared/content/privacy.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { sitePages, sitePagesOf } from '#shared/content/site-pages.ts';
import { formatDateSpan } from '#shared/dates.ts';
import { POLICIES_ID } from '#shared/page.ts';

const MENU_ID = 'site-menu';

export function SiteHeader() {
  return (
    <header className="site-header">
      <p className="site-name">{facts.siteName}</p>
      <button type="button" className="button button--quiet site-menu-button" popoverTarget={MENU_ID}>
        {pageFrame.menuLabel}
      </button>
      {/* A row where there is room, otherwise a popover, which opens and closes without a script. */}
      <Island island="menu" id={MENU_ID} className="site-menu" popover="auto">
        <SiteMenu />
      </Island>
      <ReserveLink
        label={pageFrame.reserveShort}
        fullLabel={pageFrame.waitShort}
        closedLabel={pageFrame.askShort}
        doneLabel={pageFrame.reservedShort}
        className="button button--quiet site-reserve"
      />
    </header>
  );
}

export function SiteFooter() {
  const { metaPixelId, officeFax, officePostalAddress, officeLegalName } = useAppSelector(selectSite);
  return (
    <footer id="contact" className="site-footer section--deep">
      <div className="section-inner site-footer-inner">
        <div>
          <h2 className="site-footer-title">{pageFrame.footerHeading}</h2>
          <p>{pageFrame.footerText}</p>
        </div>
        <dl className="site-footer-contact">
          <Contact label={pageFrame.emailLabel} value={<OfficeEmailLink />} />
          <Contact label={pageFrame.phoneLabel} value={<OfficePhoneLink />} />
          {officeFax && <Contact label={pageFrame.faxLabel} value={officeFax} />}
          {officePostalAddress && (
            <Contact label={pageFrame.postalAddressLabel} value={officePostalAddress} />
          )}
        </dl>
        <p className="site-footer-edition">
          {facts.title}. {formatDateSpan(facts.startDate, facts.endDate)}, live online.
          {officeLegalName && (
            <>
              {' '}
              <br />
              {pageFrame.runBy(officeLegalName)}
            </>
          )}
        </p>
        <p className="page-links">
          <a href={`#${POLICIES_ID}`}>{registrationCopy.policies}</a>
          <PrivacyButton>{metaPixelId ? privacyButtons.openWithChoices : privacyButtons.open}</PrivacyButton>
          {sitePagesOf(Boolean(metaPixelId))
            .filter((name) => name !== 'privacy')
            .map((name) => (
              <a key={name} href={sitePages[name].path}>
                {sitePages[name].title}
              </a>
            ))}
        </p>
      </div>
    </footer>
  );
}

function Contact({ label, value }: { label: string; value: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  );
}
