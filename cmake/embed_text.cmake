# embed_text.cmake - writes the bytes of files, one behind the other, as numbers for an array in C.
# cmake -DOUT=magic.inc -DSOURCES=list.txt -P embed_text.cmake
cmake_minimum_required(VERSION 3.22)
file(STRINGS ${SOURCES} files)
set(bytes "")
foreach(file ${files})
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
    string(APPEND bytes "${hex}\n")
endforeach()
file(WRITE ${OUT} "${bytes}")
