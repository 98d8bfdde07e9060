/* Colours, and what all plots have in common. */

const LIGHT = ["#2f6fde", "#e8833a", "#3aa564", "#b65fc4", "#d6465b", "#23a7b5",
	"#a9862f", "#7a6ff0", "#6f8f1f", "#c2628d"];
const DARK = ["#5b93f5", "#f0995a", "#56bd80", "#c97fd6", "#ea6b7c", "#45bfcc",
	"#c9a54c", "#988ff7", "#93b33c", "#dc84ab"];

let printing = false;

function isDark() {
	return !printing && matchMedia("(prefers-color-scheme: dark)").matches;
}

function colour(name) {
	return getComputedStyle(document.documentElement)
		.getPropertyValue(`--${name}`).trim();
}

/* One function or pool has one colour in all pictures. */
function shareColour(share) {
	const list = isDark() ? DARK : LIGHT;
	return share === undefined ? colour("faint") : list[share % list.length];
}

function axis(more) {
	return {
		gridcolor: colour("line"), linecolor: colour("line"),
		zerolinecolor: colour("line"), automargin: true, ...more,
	};
}

function layout(more) {
	return {
		paper_bgcolor: "rgba(0,0,0,0)",
		plot_bgcolor: "rgba(0,0,0,0)",
		font: {color: colour("text"), family: "system-ui, sans-serif", size: 12},
		margin: {l: 8, r: 8, t: 12, b: 8},
		hoverlabel: {
			bgcolor: colour("card"), bordercolor: colour("line"),
			font: {color: colour("text")}, namelength: -1, align: "left",
		},
		modebar: {
			bgcolor: "rgba(0,0,0,0)", color: colour("faint"),
			activecolor: colour("text"),
		},
		legend: {orientation: "h", yref: "container", y: 0, yanchor: "bottom"},
		...more,
	};
}

/* No button sends anything anywhere. */
const CONFIG = {
	displaylogo: false,
	responsive: true,
	showSendToCloud: false,
	plotlyServerURL: "",
	modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
};

/* Draws into a section, or hides it if there is nothing to draw. */
function plot(id, traces, more, config) {
	const section = document.getElementById(id);
	section.hidden = !traces.length;
	if (!traces.length)
		return null;
	const place = section.querySelector(".plot");
	/* A trace is known by its place and name when others come. */
	traces.forEach((trace, i) => {
		trace.uid = `${id}-${i}-${(trace.name || "").replace(/\W/g, "")}`;
	});
	/* On paper nothing adapts later on. */
	const size = printing
		? {width: place.clientWidth, height: place.clientHeight}
		: {autosize: true};
	Plotly.react(place, traces, {...layout(more), ...size},
		{...CONFIG, ...config});
	return place;
}
