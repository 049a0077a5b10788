import { createSlice } from '@reduxjs/toolkit';
import type { SiteState } from '#shared/page.ts';

const initialState: SiteState = {
  officeEmail: '',
  officePhone: '',
  officeFax: null,
  officePostalAddress: null,
  officeLegalName: null,
  registrationOpen: true,
  stripePublishableKey: '',
  stripeScriptUrl: null,
  metaPixelId: null,
  metaPixelScriptUrl: null,
};

/** What the server told the page of its configuration and of its places. */
export const siteSlice = createSlice({
  name: 'site',
  initialState,
  reducers: {
    /** The server said so since: the last place was taken after the page was made. */
    becameFull(site) {
      site.isFull = true;
    },
    /** Or there are places again. */
    hasPlaces(site) {
      delete site.isFull;
    },
  },
  selectors: { selectSite: (site): SiteState => site },
});

export const { becameFull, hasPlaces } = siteSlice.actions;
export const { selectSite } = siteSlice.selectors;
