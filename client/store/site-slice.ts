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

/** The configuration that the server put into the page, and whether places are left. */
export const siteSlice = createSlice({
  name: 'site',
  initialState,
  reducers: {
    /** The server has answered that the last place was taken after the page was rendered. */
    becameFull(site) {
      site.isFull = true;
    },
    /** The server has answered that there are places again. */
    hasPlaces(site) {
      delete site.isFull;
    },
  },
  selectors: { selectSite: (site): SiteState => site },
});

export const { becameFull, hasPlaces } = siteSlice.actions;
export const { selectSite } = siteSlice.selectors;
