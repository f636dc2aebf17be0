/** Defines the chart elements that the views use; apart from them, so that a view can be tested without a page. */

import "../../charts/bar-list.js";
import "../../charts/geometry-scrubber.js";
import "../../charts/heat-map.js";
import "../../charts/line-plot.js";
import "../../charts/sampled-text.js";
