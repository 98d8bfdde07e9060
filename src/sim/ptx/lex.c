#include "lex.h"

#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ptx_fail(struct ptx_lexer *lex, const char *format, ...)
{
	va_list args;

	lex->error->line = lex->token.line;
	va_start(args, format);
	vsnprintf(lex->error->text, sizeof(lex->error->text), format, args);
	va_end(args);
	for (char *at = lex->error->text; *at; at++)
		if (!isprint((unsigned char)*at))
			*at = '?';
	longjmp(lex->failed, 1);
}

void ptx_expected(struct ptx_lexer *lex, const char *what)
{
	const struct ptx_token *token = &lex->token;

	if (token->kind == PTX_T_END)
		ptx_fail(lex, "%s expected, and not the end", what);
	ptx_fail(lex, "%s expected, and not '%s%.*s'", what,
		 token->kind == PTX_T_DOT ? "." : "",
		 (int)(token->length < 40 ? token->length : 40), token->text);
}

void *ptx_get(struct ptx_lexer *lex, size_t size)
{
	void *found = ptx_arena_get(lex->arena, size);

	if (!found)
		ptx_fail(lex, "out of memory");
	return found;
}

static bool word_begins(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool word_goes_on(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Past blanks and comments. */
static void blanks_skip(struct ptx_lexer *lex)
{
	const char *at = lex->at;

	for (;; at++) {
		if (*at == '\n') {
			lex->line++;
		} else if (at[0] == '/' && at[1] == '/') {
			at += strcspn(at, "\n") - 1;
		} else if (at[0] == '/' && at[1] == '*') {
			const char *end = strstr(at + 2, "*/");

			if (!end)
				end = at + strlen(at) - 2;
			for (; at < end; at++)
				lex->line += *at == '\n';
			at = end + 1;
		} else if (!isspace((unsigned char)*at)) {
			break;
		}
	}
	lex->at = at;
}

/* 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: the bits of a number. */
static bool bits_read(struct ptx_lexer *lex)
{
	struct ptx_token *token = &lex->token;
	char form = (char)tolower((unsigned char)lex->at[1]);
	size_t digits = form == 'f' ? 8 : 16;
	char text[17] = "";
	uint64_t bits;

	if (lex->at[0] != '0' || (form != 'f' && form != 'd'))
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (!isxdigit((unsigned char)lex->at[2 + i]))
			return false;
		text[i] = lex->at[2 + i];
	}
	lex->at += 2 + digits;
	bits = strtoull(text, NULL, 16);
	token->kind = PTX_T_REAL;
	token->single = form == 'f';
	token->value = bits;
	if (token->single) {
		uint32_t low = (uint32_t)bits;
		float real;

		memcpy(&real, &low, sizeof(real));
		token->real = real;
	} else {
		memcpy(&token->real, &bits, sizeof(bits));
	}
	return true;
}

/* The program may have chosen a locale in which 1.5 is no number. */
static double real_read(const char *at, char **end)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double real = strtod_l(at, end, plain);

	freelocale(plain);
	return real;
}

static void number_read(struct ptx_lexer *lex)
{
	struct ptx_token *token = &lex->token;
	const char *at = lex->at;
	bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
	char *end;

	if (bits_read(lex))
		return;
	if (at[0] == '0' && (at[1] == 'b' || at[1] == 'B'))
		token->value = strtoull(at + 2, &end, 2);
	else
		token->value = strtoull(at, &end, 0);
	token->kind = PTX_T_INTEGER;
	if (!hex && (*end == '.' || *end == 'e' || *end == 'E')) {
		token->real = real_read(at, &end);
		token->kind = PTX_T_REAL;
		memcpy(&token->value, &token->real, sizeof(token->real));
	}
	lex->at = end;
	if (*lex->at == 'U' || *lex->at == 'u')
		lex->at++;
}

static void text_read(struct ptx_lexer *lex)
{
	const char *at = lex->at;

	if (*at == '"') {
		size_t length = strcspn(at + 1, "\"\n");

		lex->token.kind = PTX_T_STRING;
		at += 1 + length + (at[1 + length] == '"');
	} else if (*at == '.') {
		lex->token.kind = PTX_T_DOT;
		lex->token.text = ++at;
		while (word_goes_on(*at) ||
		       (at[0] == ':' && at[1] == ':' && word_goes_on(at[2])))
			at += *at == ':' ? 2 : 1;
	} else if (word_begins(*at)) {
		lex->token.kind = PTX_T_WORD;
		do
			at++;
		while (word_goes_on(*at));
	} else {
		lex->token.kind = PTX_T_SIGN;
		lex->token.sign = *at++;
	}
	lex->at = at;
}

void ptx_next(struct ptx_lexer *lex)
{
	blanks_skip(lex);
	lex->token = (struct ptx_token){.line = lex->line, .text = lex->at};
	if (!*lex->at)
		return;
	if (isdigit((unsigned char)*lex->at))
		number_read(lex);
	else
		text_read(lex);
	lex->token.length = (size_t)(lex->at - lex->token.text);
}

void ptx_line_skip(struct ptx_lexer *lex)
{
	unsigned int line = lex->token.line;

	while (lex->token.kind != PTX_T_END && lex->token.line == line)
		ptx_next(lex);
}

bool ptx_is_sign(const struct ptx_lexer *lex, char sign)
{
	return lex->token.kind == PTX_T_SIGN && lex->token.sign == sign;
}

bool ptx_is_dot(const struct ptx_lexer *lex, const char *text)
{
	return lex->token.kind == PTX_T_DOT &&
	       !strncmp(lex->token.text, text, lex->token.length) &&
	       !text[lex->token.length];
}

bool ptx_take_sign(struct ptx_lexer *lex, char sign)
{
	bool found = ptx_is_sign(lex, sign);

	if (found)
		ptx_next(lex);
	return found;
}

bool ptx_take_dot(struct ptx_lexer *lex, const char *text)
{
	bool found = ptx_is_dot(lex, text);

	if (found)
		ptx_next(lex);
	return found;
}

void ptx_need_sign(struct ptx_lexer *lex, char sign)
{
	char text[] = {'\'', sign, '\'', '\0'};

	if (!ptx_take_sign(lex, sign))
		ptx_expected(lex, text);
}

uint64_t ptx_need_integer(struct ptx_lexer *lex)
{
	uint64_t value = lex->token.value;

	if (lex->token.kind != PTX_T_INTEGER)
		ptx_expected(lex, "a number");
	ptx_next(lex);
	return value;
}
