"use strict";

/* Figures as people read them, and the units that plots are drawn in. */

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const TIME_UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

function digits(value) {
	return Number(value.toPrecision(value >= 1000 ? 4 : 3)).toString();
}

/* What bytes are divided by, so that the largest has few digits. */
function byteUnit(most) {
	let power = 0;
	while (power + 1 < BYTE_UNITS.length && most >= 1024 ** (power + 1))
		power++;
	return {name: BYTE_UNITS[power], size: 1024 ** power};
}

function timeUnit(most) {
	const [name, size] = TIME_UNITS.find((unit) => most >= unit[1]) ||
		TIME_UNITS[TIME_UNITS.length - 1];
	return {name, size};
}

function inUnit(value, unit) {
	return `${digits(value / unit.size)} ${unit.name}`;
}

function bytesText(bytes) {
	return (bytes < 0 ? "−" : "") +
		inUnit(Math.abs(bytes), byteUnit(Math.abs(bytes)));
}

function timeText(ns) {
	return inUnit(ns, timeUnit(ns));
}

/* A moment, to the millisecond or finer if all of it is shorter. */
function momentText(ns, whole) {
	const unit = timeUnit(whole);
	return `${(ns / unit.size).toFixed(3)} ${unit.name}`;
}

function countText(count) {
	return count.toLocaleString("en");
}

function percentText(share) {
	if (share > 0 && share < 0.001)
		return "< 0.1 %";
	return share < 1 && share > 0.999 ? "> 99.9 %" : `${digits(100 * share)} %`;
}

function blocksText(count) {
	return `${countText(count)} ${count === 1 ? "block" : "blocks"}`;
}

/* Names come from files of others. Plots take some of HTML for markup. */
function escaped(text) {
	return text.replace(/&/g, "&amp;").replace(/</g, "&lt;")
		.replace(/>/g, "&gt;");
}

/* A function without its arguments, and not too long. */
function shortName(name) {
	const brief = name.replace(/(.)\(.*/, "$1");
	return brief.length > 40 ? `${brief.slice(0, 39)}…` : brief;
}

/* Undoes the differences in which times are written. */
function timesOf(differences) {
	let time = 0;
	return differences.map((each) => (time += each));
}

function element(tag, attributes, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {}))
		made.setAttribute(name, value);
	made.append(...children);
	return made;
}
