// softmax_rows
#pragma clang diagnostic ignored "-Wmissing-prototypes"

#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

template<typename T>
[[clang::optnone]] T spvFMul(T l, T r)
{
    return fma(l, r, T(0));
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Cols> spvFMulVectorMatrix(vec<T, Rows> v, matrix<T, Cols, Rows> m)
{
    vec<T, Cols> res = vec<T, Cols>(0);
    for (uint i = Rows; i > 0; --i)
    {
        vec<T, Cols> tmp(0);
        for (uint j = 0; j < Cols; ++j)
        {
            tmp[j] = m[j][i - 1];
        }
        res = fma(tmp, vec<T, Cols>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Rows> spvFMulMatrixVector(matrix<T, Cols, Rows> m, vec<T, Cols> v)
{
    vec<T, Rows> res = vec<T, Rows>(0);
    for (uint i = Cols; i > 0; --i)
    {
        res = fma(m[i - 1], vec<T, Rows>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int LCols, int LRows, int RCols, int RRows>
[[clang::optnone]] matrix<T, RCols, LRows> spvFMulMatrixMatrix(matrix<T, LCols, LRows> l, matrix<T, RCols, RRows> r)
{
    matrix<T, RCols, LRows> res;
    for (uint i = 0; i < RCols; i++)
    {
        vec<T, RCols> tmp(0);
        for (uint j = 0; j < LCols; j++)
        {
            tmp = fma(vec<T, RCols>(r[i][j]), l[j], tmp);
        }
        res[i] = tmp;
    }
    return res;
}

template<typename T>
[[clang::optnone]] T spvFAdd(T l, T r)
{
    return fma(T(1), l, r);
}

template<typename T>
[[clang::optnone]] T spvFSub(T l, T r)
{
    return fma(T(-1), r, l);
}

struct Push
{
    int N;
    int X_offset;
    int X_stride_0;
    int Y_offset;
    int Y_stride_0;
    int Y_stride_1;
    uint base_x;
    uint base_y;
    uint base_z;
};

struct X_block
{
    float X[1];
};

struct Y_block
{
    float Y[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(128u, 1u, 1u);

kernel void main0(const device X_block& _247 [[buffer(0)]], device Y_block& _947 [[buffer(1)]], constant Push& _169 [[buffer(2)]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint gl_LocalInvocationIndex [[thread_index_in_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]])
{
    threadgroup float Largest_rows1[1];
    threadgroup float parts2[128];
    threadgroup float Total_rows1[1];
    threadgroup float parts3[128];
    int _175 = int(gl_WorkGroupID.x + _169.base_x);
    int _179 = int(gl_LocalInvocationIndex);
    bool _181 = _179 < 1;
    if (_181)
    {
        Largest_rows1[_179] = as_type<float>(0xff800000u /* -inf */);
    }
    int _197 = int(gl_LocalInvocationID.y);
    int _201 = int(gl_LocalInvocationID.x);
    bool _203 = _197 < 1;
    if (_203)
    {
        int _216 = -(((-_169.N) + _201) >> 7);
        int _225 = (_197 * 128) + _201;
        parts2[_225] = as_type<float>(0xff800000u /* -inf */);
        float _1552;
        _1552 = parts2[_225];
        for (int _1551 = 0; _1551 < _216; )
        {
            int _262 = ((_169.X_offset + ((_175 + _197) * _169.X_stride_0)) + _201) + (_1551 * 128);
            int _1012 = as_type<int>(_1552);
            int _1028 = as_type<int>(_247.X[_262]);
            _1552 = ((((_1012 & 2147483647) > 2139095040) ? 2147483647 : (_1012 ^ ((_1012 >> 31) & 2147483647))) > (((_1028 & 2147483647) > 2139095040) ? 2147483647 : (_1028 ^ ((_1028 >> 31) & 2147483647)))) ? _1552 : _247.X[_262];
            _1551++;
            continue;
        }
        parts2[_225] = _1552;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _285 = _179 < 64;
    if (_285)
    {
        int _290 = _179 >> 6;
        if (_290 < 1)
        {
            int _302 = (_290 * 128) + (_179 & 63);
            int _311 = _302 + 64;
            int _1056 = as_type<int>(parts2[_302]);
            int _1072 = as_type<int>(parts2[_311]);
            parts2[_302] = ((((_1056 & 2147483647) > 2139095040) ? 2147483647 : (_1056 ^ ((_1056 >> 31) & 2147483647))) > (((_1072 & 2147483647) > 2139095040) ? 2147483647 : (_1072 ^ ((_1072 >> 31) & 2147483647)))) ? parts2[_302] : parts2[_311];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _325 = _179 < 32;
    if (_325)
    {
        int _331 = _179 >> 5;
        if (_331 < 1)
        {
            int _342 = (_331 * 128) + (_179 & 31);
            int _351 = _342 + 32;
            int _1100 = as_type<int>(parts2[_342]);
            int _1116 = as_type<int>(parts2[_351]);
            parts2[_342] = ((((_1100 & 2147483647) > 2139095040) ? 2147483647 : (_1100 ^ ((_1100 >> 31) & 2147483647))) > (((_1116 & 2147483647) > 2139095040) ? 2147483647 : (_1116 ^ ((_1116 >> 31) & 2147483647)))) ? parts2[_342] : parts2[_351];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _365 = _179 < 16;
    if (_365)
    {
        int _371 = _179 >> 4;
        if (_371 < 1)
        {
            int _383 = (_371 * 128) + (_179 & 15);
            int _392 = _383 + 16;
            int _1144 = as_type<int>(parts2[_383]);
            int _1160 = as_type<int>(parts2[_392]);
            parts2[_383] = ((((_1144 & 2147483647) > 2139095040) ? 2147483647 : (_1144 ^ ((_1144 >> 31) & 2147483647))) > (((_1160 & 2147483647) > 2139095040) ? 2147483647 : (_1160 ^ ((_1160 >> 31) & 2147483647)))) ? parts2[_383] : parts2[_392];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _406 = _179 < 8;
    if (_406)
    {
        int _412 = _179 >> 3;
        if (_412 < 1)
        {
            int _423 = (_412 * 128) + (_179 & 7);
            int _432 = _423 + 8;
            int _1188 = as_type<int>(parts2[_423]);
            int _1204 = as_type<int>(parts2[_432]);
            parts2[_423] = ((((_1188 & 2147483647) > 2139095040) ? 2147483647 : (_1188 ^ ((_1188 >> 31) & 2147483647))) > (((_1204 & 2147483647) > 2139095040) ? 2147483647 : (_1204 ^ ((_1204 >> 31) & 2147483647)))) ? parts2[_423] : parts2[_432];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _445 = _179 < 4;
    if (_445)
    {
        int _450 = _179 >> 2;
        if (_450 < 1)
        {
            int _461 = (_450 * 128) + (_179 & 3);
            int _470 = _461 + 4;
            int _1232 = as_type<int>(parts2[_461]);
            int _1248 = as_type<int>(parts2[_470]);
            parts2[_461] = ((((_1232 & 2147483647) > 2139095040) ? 2147483647 : (_1232 ^ ((_1232 >> 31) & 2147483647))) > (((_1248 & 2147483647) > 2139095040) ? 2147483647 : (_1248 ^ ((_1248 >> 31) & 2147483647)))) ? parts2[_461] : parts2[_470];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _483 = _179 < 2;
    if (_483)
    {
        int _488 = _179 >> 1;
        if (_488 < 1)
        {
            int _499 = (_488 * 128) + (_179 & 1);
            int _508 = _499 + 2;
            int _1276 = as_type<int>(parts2[_499]);
            int _1292 = as_type<int>(parts2[_508]);
            parts2[_499] = ((((_1276 & 2147483647) > 2139095040) ? 2147483647 : (_1276 ^ ((_1276 >> 31) & 2147483647))) > (((_1292 & 2147483647) > 2139095040) ? 2147483647 : (_1292 ^ ((_1292 >> 31) & 2147483647)))) ? parts2[_499] : parts2[_508];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_181)
    {
        if (_181)
        {
            int _531 = _179 * 128;
            int _539 = _531 + 1;
            int _1320 = as_type<int>(parts2[_531]);
            int _1336 = as_type<int>(parts2[_539]);
            parts2[_531] = ((((_1320 & 2147483647) > 2139095040) ? 2147483647 : (_1320 ^ ((_1320 >> 31) & 2147483647))) > (((_1336 & 2147483647) > 2139095040) ? 2147483647 : (_1336 ^ ((_1336 >> 31) & 2147483647)))) ? parts2[_531] : parts2[_539];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_181)
    {
        int _558 = _179 * 128;
        int _1364 = as_type<int>(Largest_rows1[_179]);
        int _1380 = as_type<int>(parts2[_558]);
        Largest_rows1[_179] = ((((_1364 & 2147483647) > 2139095040) ? 2147483647 : (_1364 ^ ((_1364 >> 31) & 2147483647))) > (((_1380 & 2147483647) > 2139095040) ? 2147483647 : (_1380 ^ ((_1380 >> 31) & 2147483647)))) ? Largest_rows1[_179] : parts2[_558];
    }
    if (_181)
    {
        Total_rows1[_179] = 0.0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_203)
    {
        int _597 = -(((-_169.N) + _201) >> 7);
        int _602 = (_197 * 128) + _201;
        parts3[_602] = -0.0;
        float _1554;
        _1554 = parts3[_602];
        for (int _1553 = 0; _1553 < _597; )
        {
            float _641 = spvFSub(_247.X[((_169.X_offset + ((_175 + _197) * _169.X_stride_0)) + _201) + (_1553 * 128)], Largest_rows1[_197]);
            float _1404 = (_641 > 89.0) ? 89.0 : _641;
            float _1408 = (_1404 < (-104.0)) ? (-104.0) : _1404;
            float _1411 = spvFAdd(spvFMul(_1408, 1.44269502162933349609375), 12582912.0);
            float _1413 = spvFSub(_1411, 12582912.0);
            float _1420 = spvFSub(spvFSub(_1408, spvFMul(_1413, 0.693145751953125)), spvFMul(_1413, 1.4286067653301870450377464294434e-06));
            uint _1457 = as_type<uint>(_1411) - 1262485250u;
            uint _1459 = _1457 >> uint(1);
            _1554 = spvFAdd(_1554, spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_1420, spvFMul(spvFMul(_1420, _1420), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_1420, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _1420), 0.0416662059724330902099609375), _1420), 0.16666518151760101318359375), _1420), 0.5)))), as_type<float>(_1459 << uint(23))), as_type<float>((_1457 - _1459) << uint(23))));
            _1553++;
            continue;
        }
        parts3[_602] = _1554;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_285)
    {
        int _662 = _179 >> 6;
        if (_662 < 1)
        {
            int _673 = (_662 * 128) + (_179 & 63);
            parts3[_673] = spvFAdd(parts3[_673], parts3[_673 + 64]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_325)
    {
        int _698 = _179 >> 5;
        if (_698 < 1)
        {
            int _709 = (_698 * 128) + (_179 & 31);
            parts3[_709] = spvFAdd(parts3[_709], parts3[_709 + 32]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_365)
    {
        int _734 = _179 >> 4;
        if (_734 < 1)
        {
            int _745 = (_734 * 128) + (_179 & 15);
            parts3[_745] = spvFAdd(parts3[_745], parts3[_745 + 16]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_406)
    {
        int _770 = _179 >> 3;
        if (_770 < 1)
        {
            int _781 = (_770 * 128) + (_179 & 7);
            parts3[_781] = spvFAdd(parts3[_781], parts3[_781 + 8]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_445)
    {
        int _806 = _179 >> 2;
        if (_806 < 1)
        {
            int _817 = (_806 * 128) + (_179 & 3);
            parts3[_817] = spvFAdd(parts3[_817], parts3[_817 + 4]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_483)
    {
        int _842 = _179 >> 1;
        if (_842 < 1)
        {
            int _853 = (_842 * 128) + (_179 & 1);
            parts3[_853] = spvFAdd(parts3[_853], parts3[_853 + 2]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_181)
    {
        if (_181)
        {
            int _883 = _179 * 128;
            parts3[_883] = spvFAdd(parts3[_883], parts3[_883 + 1]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_181)
    {
        Total_rows1[_179] = spvFAdd(Total_rows1[_179], parts3[_179 * 128]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_203)
    {
        int _934 = -(((-_169.N) + _201) >> 7);
        for (int _1555 = 0; _1555 < _934; )
        {
            int _952 = _175 + _197;
            int _959 = _1555 * 128;
            float _984 = spvFSub(_247.X[((_169.X_offset + (_952 * _169.X_stride_0)) + _201) + _959], Largest_rows1[_197]);
            float _1484 = (_984 > 89.0) ? 89.0 : _984;
            float _1488 = (_1484 < (-104.0)) ? (-104.0) : _1484;
            float _1491 = spvFAdd(spvFMul(_1488, 1.44269502162933349609375), 12582912.0);
            float _1493 = spvFSub(_1491, 12582912.0);
            float _1500 = spvFSub(spvFSub(_1488, spvFMul(_1493, 0.693145751953125)), spvFMul(_1493, 1.4286067653301870450377464294434e-06));
            uint _1537 = as_type<uint>(_1491) - 1262485250u;
            uint _1539 = _1537 >> uint(1);
            _947.Y[(_169.Y_offset + (_952 * _169.Y_stride_0)) + ((_201 + _959) * _169.Y_stride_1)] = spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_1500, spvFMul(spvFMul(_1500, _1500), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_1500, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _1500), 0.0416662059724330902099609375), _1500), 0.16666518151760101318359375), _1500), 0.5)))), as_type<float>(_1539 << uint(23))), as_type<float>((_1537 - _1539) << uint(23))) / Total_rows1[_197];
            _1555++;
            continue;
        }
    }
}


// softmax_rows1
#pragma clang diagnostic ignored "-Wmissing-prototypes"

#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

template<typename T>
[[clang::optnone]] T spvFMul(T l, T r)
{
    return fma(l, r, T(0));
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Cols> spvFMulVectorMatrix(vec<T, Rows> v, matrix<T, Cols, Rows> m)
{
    vec<T, Cols> res = vec<T, Cols>(0);
    for (uint i = Rows; i > 0; --i)
    {
        vec<T, Cols> tmp(0);
        for (uint j = 0; j < Cols; ++j)
        {
            tmp[j] = m[j][i - 1];
        }
        res = fma(tmp, vec<T, Cols>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Rows> spvFMulMatrixVector(matrix<T, Cols, Rows> m, vec<T, Cols> v)
{
    vec<T, Rows> res = vec<T, Rows>(0);
    for (uint i = Cols; i > 0; --i)
    {
        res = fma(m[i - 1], vec<T, Rows>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int LCols, int LRows, int RCols, int RRows>
[[clang::optnone]] matrix<T, RCols, LRows> spvFMulMatrixMatrix(matrix<T, LCols, LRows> l, matrix<T, RCols, RRows> r)
{
    matrix<T, RCols, LRows> res;
    for (uint i = 0; i < RCols; i++)
    {
        vec<T, RCols> tmp(0);
        for (uint j = 0; j < LCols; j++)
        {
            tmp = fma(vec<T, RCols>(r[i][j]), l[j], tmp);
        }
        res[i] = tmp;
    }
    return res;
}

template<typename T>
[[clang::optnone]] T spvFAdd(T l, T r)
{
    return fma(T(1), l, r);
}

template<typename T>
[[clang::optnone]] T spvFSub(T l, T r)
{
    return fma(T(-1), r, l);
}

struct Push
{
    int M;
    int N;
    int X_offset;
    int X_stride_0;
    int Y_offset;
    int Y_stride_0;
    int Y_stride_1;
    uint base_x;
    uint base_y;
    uint base_z;
};

struct X_block
{
    float X[1];
};

struct Y_block
{
    float Y[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(32u, 4u, 1u);

kernel void main0(const device X_block& _264 [[buffer(0)]], device Y_block& _842 [[buffer(1)]], constant Push& _169 [[buffer(2)]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint gl_LocalInvocationIndex [[thread_index_in_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]])
{
    threadgroup float Largest_rows[4];
    threadgroup float parts[128];
    threadgroup float Total_rows[4];
    threadgroup float parts1[128];
    int _177 = int(gl_WorkGroupID.x + _169.base_x) * 4;
    int _185 = min(4, (_169.M - _177));
    int _189 = int(gl_LocalInvocationIndex);
    for (int _1360 = _189; _1360 < _185; )
    {
        Largest_rows[_1360] = as_type<float>(0xff800000u /* -inf */);
        _1360 += 128;
        continue;
    }
    int _215 = int(gl_LocalInvocationID.y);
    int _219 = int(gl_LocalInvocationID.x);
    bool _222 = _215 < _185;
    if (_222)
    {
        int _233 = -(((-_169.N) + _219) >> 5);
        int _242 = (_215 * 32) + _219;
        parts[_242] = as_type<float>(0xff800000u /* -inf */);
        float _1362;
        _1362 = parts[_242];
        for (int _1361 = 0; _1361 < _233; )
        {
            int _280 = ((_169.X_offset + ((_177 + _215) * _169.X_stride_0)) + _219) + (_1361 * 32);
            int _909 = as_type<int>(_1362);
            int _925 = as_type<int>(_264.X[_280]);
            _1362 = ((((_909 & 2147483647) > 2139095040) ? 2147483647 : (_909 ^ ((_909 >> 31) & 2147483647))) > (((_925 & 2147483647) > 2139095040) ? 2147483647 : (_925 ^ ((_925 >> 31) & 2147483647)))) ? _1362 : _264.X[_280];
            _1361++;
            continue;
        }
        parts[_242] = _1362;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _303 = _189 < 64;
    if (_303)
    {
        int _308 = _189 >> 4;
        if (_308 < _185)
        {
            int _321 = (_308 * 32) + (_189 & 15);
            int _331 = _321 + 16;
            int _953 = as_type<int>(parts[_321]);
            int _969 = as_type<int>(parts[_331]);
            parts[_321] = ((((_953 & 2147483647) > 2139095040) ? 2147483647 : (_953 ^ ((_953 >> 31) & 2147483647))) > (((_969 & 2147483647) > 2139095040) ? 2147483647 : (_969 ^ ((_969 >> 31) & 2147483647)))) ? parts[_321] : parts[_331];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _344 = _189 < 32;
    if (_344)
    {
        int _349 = _189 >> 3;
        if (_349 < _185)
        {
            int _361 = (_349 * 32) + (_189 & 7);
            int _371 = _361 + 8;
            int _997 = as_type<int>(parts[_361]);
            int _1013 = as_type<int>(parts[_371]);
            parts[_361] = ((((_997 & 2147483647) > 2139095040) ? 2147483647 : (_997 ^ ((_997 >> 31) & 2147483647))) > (((_1013 & 2147483647) > 2139095040) ? 2147483647 : (_1013 ^ ((_1013 >> 31) & 2147483647)))) ? parts[_361] : parts[_371];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _384 = _189 < 16;
    if (_384)
    {
        int _389 = _189 >> 2;
        if (_389 < _185)
        {
            int _401 = (_389 * 32) + (_189 & 3);
            int _410 = _401 + 4;
            int _1041 = as_type<int>(parts[_401]);
            int _1057 = as_type<int>(parts[_410]);
            parts[_401] = ((((_1041 & 2147483647) > 2139095040) ? 2147483647 : (_1041 ^ ((_1041 >> 31) & 2147483647))) > (((_1057 & 2147483647) > 2139095040) ? 2147483647 : (_1057 ^ ((_1057 >> 31) & 2147483647)))) ? parts[_401] : parts[_410];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _423 = _189 < 8;
    if (_423)
    {
        int _428 = _189 >> 1;
        if (_428 < _185)
        {
            int _440 = (_428 * 32) + (_189 & 1);
            int _449 = _440 + 2;
            int _1085 = as_type<int>(parts[_440]);
            int _1101 = as_type<int>(parts[_449]);
            parts[_440] = ((((_1085 & 2147483647) > 2139095040) ? 2147483647 : (_1085 ^ ((_1085 >> 31) & 2147483647))) > (((_1101 & 2147483647) > 2139095040) ? 2147483647 : (_1101 ^ ((_1101 >> 31) & 2147483647)))) ? parts[_440] : parts[_449];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _462 = _189 < 4;
    if (_462)
    {
        if (_189 < _185)
        {
            int _473 = _189 * 32;
            int _481 = _473 + 1;
            int _1129 = as_type<int>(parts[_473]);
            int _1145 = as_type<int>(parts[_481]);
            parts[_473] = ((((_1129 & 2147483647) > 2139095040) ? 2147483647 : (_1129 ^ ((_1129 >> 31) & 2147483647))) > (((_1145 & 2147483647) > 2139095040) ? 2147483647 : (_1145 ^ ((_1145 >> 31) & 2147483647)))) ? parts[_473] : parts[_481];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int _1363 = _189; _1363 < _185; )
    {
        int _504 = _1363 * 32;
        int _1173 = as_type<int>(Largest_rows[_1363]);
        int _1189 = as_type<int>(parts[_504]);
        Largest_rows[_1363] = ((((_1173 & 2147483647) > 2139095040) ? 2147483647 : (_1173 ^ ((_1173 >> 31) & 2147483647))) > (((_1189 & 2147483647) > 2139095040) ? 2147483647 : (_1189 ^ ((_1189 >> 31) & 2147483647)))) ? Largest_rows[_1363] : parts[_504];
        _1363 += 128;
        continue;
    }
    for (int _1364 = _189; _1364 < _185; )
    {
        Total_rows[_1364] = 0.0;
        _1364 += 128;
        continue;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_222)
    {
        int _552 = -(((-_169.N) + _219) >> 5);
        int _557 = (_215 * 32) + _219;
        parts1[_557] = -0.0;
        float _1366;
        _1366 = parts1[_557];
        for (int _1365 = 0; _1365 < _552; )
        {
            float _596 = spvFSub(_264.X[((_169.X_offset + ((_177 + _215) * _169.X_stride_0)) + _219) + (_1365 * 32)], Largest_rows[_215]);
            float _1213 = (_596 > 89.0) ? 89.0 : _596;
            float _1217 = (_1213 < (-104.0)) ? (-104.0) : _1213;
            float _1220 = spvFAdd(spvFMul(_1217, 1.44269502162933349609375), 12582912.0);
            float _1222 = spvFSub(_1220, 12582912.0);
            float _1229 = spvFSub(spvFSub(_1217, spvFMul(_1222, 0.693145751953125)), spvFMul(_1222, 1.4286067653301870450377464294434e-06));
            uint _1266 = as_type<uint>(_1220) - 1262485250u;
            uint _1268 = _1266 >> uint(1);
            _1366 = spvFAdd(_1366, spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_1229, spvFMul(spvFMul(_1229, _1229), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_1229, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _1229), 0.0416662059724330902099609375), _1229), 0.16666518151760101318359375), _1229), 0.5)))), as_type<float>(_1268 << uint(23))), as_type<float>((_1266 - _1268) << uint(23))));
            _1365++;
            continue;
        }
        parts1[_557] = _1366;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_303)
    {
        int _617 = _189 >> 4;
        if (_617 < _185)
        {
            int _629 = (_617 * 32) + (_189 & 15);
            parts1[_629] = spvFAdd(parts1[_629], parts1[_629 + 16]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_344)
    {
        int _654 = _189 >> 3;
        if (_654 < _185)
        {
            int _666 = (_654 * 32) + (_189 & 7);
            parts1[_666] = spvFAdd(parts1[_666], parts1[_666 + 8]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_384)
    {
        int _691 = _189 >> 2;
        if (_691 < _185)
        {
            int _703 = (_691 * 32) + (_189 & 3);
            parts1[_703] = spvFAdd(parts1[_703], parts1[_703 + 4]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_423)
    {
        int _728 = _189 >> 1;
        if (_728 < _185)
        {
            int _740 = (_728 * 32) + (_189 & 1);
            parts1[_740] = spvFAdd(parts1[_740], parts1[_740 + 2]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_462)
    {
        if (_189 < _185)
        {
            int _771 = _189 * 32;
            parts1[_771] = spvFAdd(parts1[_771], parts1[_771 + 1]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int _1367 = _189; _1367 < _185; )
    {
        Total_rows[_1367] = spvFAdd(Total_rows[_1367], parts1[_1367 * 32]);
        _1367 += 128;
        continue;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_222)
    {
        int _829 = -(((-_169.N) + _219) >> 5);
        for (int _1368 = 0; _1368 < _829; )
        {
            int _847 = _177 + _215;
            int _854 = _1368 * 32;
            float _880 = spvFSub(_264.X[((_169.X_offset + (_847 * _169.X_stride_0)) + _219) + _854], Largest_rows[_215]);
            float _1293 = (_880 > 89.0) ? 89.0 : _880;
            float _1297 = (_1293 < (-104.0)) ? (-104.0) : _1293;
            float _1300 = spvFAdd(spvFMul(_1297, 1.44269502162933349609375), 12582912.0);
            float _1302 = spvFSub(_1300, 12582912.0);
            float _1309 = spvFSub(spvFSub(_1297, spvFMul(_1302, 0.693145751953125)), spvFMul(_1302, 1.4286067653301870450377464294434e-06));
            uint _1346 = as_type<uint>(_1300) - 1262485250u;
            uint _1348 = _1346 >> uint(1);
            _842.Y[(_169.Y_offset + (_847 * _169.Y_stride_0)) + ((_219 + _854) * _169.Y_stride_1)] = spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_1309, spvFMul(spvFMul(_1309, _1309), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_1309, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _1309), 0.0416662059724330902099609375), _1309), 0.16666518151760101318359375), _1309), 0.5)))), as_type<float>(_1348 << uint(23))), as_type<float>((_1346 - _1348) << uint(23))) / Total_rows[_215];
            _1368++;
            continue;
        }
    }
}


// softmax_grid
#pragma clang diagnostic ignored "-Wmissing-prototypes"

#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

template<typename T>
[[clang::optnone]] T spvFMul(T l, T r)
{
    return fma(l, r, T(0));
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Cols> spvFMulVectorMatrix(vec<T, Rows> v, matrix<T, Cols, Rows> m)
{
    vec<T, Cols> res = vec<T, Cols>(0);
    for (uint i = Rows; i > 0; --i)
    {
        vec<T, Cols> tmp(0);
        for (uint j = 0; j < Cols; ++j)
        {
            tmp[j] = m[j][i - 1];
        }
        res = fma(tmp, vec<T, Cols>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Rows> spvFMulMatrixVector(matrix<T, Cols, Rows> m, vec<T, Cols> v)
{
    vec<T, Rows> res = vec<T, Rows>(0);
    for (uint i = Cols; i > 0; --i)
    {
        res = fma(m[i - 1], vec<T, Rows>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int LCols, int LRows, int RCols, int RRows>
[[clang::optnone]] matrix<T, RCols, LRows> spvFMulMatrixMatrix(matrix<T, LCols, LRows> l, matrix<T, RCols, RRows> r)
{
    matrix<T, RCols, LRows> res;
    for (uint i = 0; i < RCols; i++)
    {
        vec<T, RCols> tmp(0);
        for (uint j = 0; j < LCols; j++)
        {
            tmp = fma(vec<T, RCols>(r[i][j]), l[j], tmp);
        }
        res[i] = tmp;
    }
    return res;
}

template<typename T>
[[clang::optnone]] T spvFAdd(T l, T r)
{
    return fma(T(1), l, r);
}

template<typename T>
[[clang::optnone]] T spvFSub(T l, T r)
{
    return fma(T(-1), r, l);
}

struct Push
{
    int M;
    int N;
    int X_offset;
    int X_stride_0;
    int X_stride_1;
    int Y_offset;
    int Y_stride_0;
    int Y_stride_1;
    uint base_x;
    uint base_y;
    uint base_z;
};

constant uint _174_tmp [[function_constant(0)]];
constant uint _174 = is_function_constant_defined(_174_tmp) ? _174_tmp : 128u;
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(_174, 1u, 1u);

struct X_block
{
    float X[1];
};

struct Y_block
{
    float Y[1];
};

kernel void main0(const device X_block& _207 [[buffer(0)]], device Y_block& _283 [[buffer(1)]], constant Push& _169 [[buffer(2)]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]])
{
    int _180 = int(gl_GlobalInvocationID.x + (_169.base_x * gl_WorkGroupSize.x));
    if (_180 < _169.M)
    {
        float _527;
        _527 = as_type<float>(0xff800000u /* -inf */);
        for (int _526 = 0; _526 < _169.N; )
        {
            int _222 = (_169.X_offset + (_180 * _169.X_stride_0)) + (_526 * _169.X_stride_1);
            int _339 = as_type<int>(_527);
            int _355 = as_type<int>(_207.X[_222]);
            _527 = ((((_339 & 2147483647) > 2139095040) ? 2147483647 : (_339 ^ ((_339 >> 31) & 2147483647))) > (((_355 & 2147483647) > 2139095040) ? 2147483647 : (_355 ^ ((_355 >> 31) & 2147483647)))) ? _527 : _207.X[_222];
            _526++;
            continue;
        }
        float _529;
        _529 = 0.0;
        for (int _528 = 0; _528 < _169.N; )
        {
            float _263 = spvFSub(_207.X[(_169.X_offset + (_180 * _169.X_stride_0)) + (_528 * _169.X_stride_1)], _527);
            float _379 = (_263 > 89.0) ? 89.0 : _263;
            float _383 = (_379 < (-104.0)) ? (-104.0) : _379;
            float _386 = spvFAdd(spvFMul(_383, 1.44269502162933349609375), 12582912.0);
            float _388 = spvFSub(_386, 12582912.0);
            float _395 = spvFSub(spvFSub(_383, spvFMul(_388, 0.693145751953125)), spvFMul(_388, 1.4286067653301870450377464294434e-06));
            uint _432 = as_type<uint>(_386) - 1262485250u;
            uint _434 = _432 >> uint(1);
            _529 = spvFAdd(_529, spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_395, spvFMul(spvFMul(_395, _395), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_395, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _395), 0.0416662059724330902099609375), _395), 0.16666518151760101318359375), _395), 0.5)))), as_type<float>(_434 << uint(23))), as_type<float>((_432 - _434) << uint(23))));
            _528++;
            continue;
        }
        for (int _530 = 0; _530 < _169.N; )
        {
            float _314 = spvFSub(_207.X[(_169.X_offset + (_180 * _169.X_stride_0)) + (_530 * _169.X_stride_1)], _527);
            float _459 = (_314 > 89.0) ? 89.0 : _314;
            float _463 = (_459 < (-104.0)) ? (-104.0) : _459;
            float _466 = spvFAdd(spvFMul(_463, 1.44269502162933349609375), 12582912.0);
            float _468 = spvFSub(_466, 12582912.0);
            float _475 = spvFSub(spvFSub(_463, spvFMul(_468, 0.693145751953125)), spvFMul(_468, 1.4286067653301870450377464294434e-06));
            uint _512 = as_type<uint>(_466) - 1262485250u;
            uint _514 = _512 >> uint(1);
            _283.Y[(_169.Y_offset + (_180 * _169.Y_stride_0)) + (_530 * _169.Y_stride_1)] = spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_475, spvFMul(spvFMul(_475, _475), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_475, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _475), 0.0416662059724330902099609375), _475), 0.16666518151760101318359375), _475), 0.5)))), as_type<float>(_514 << uint(23))), as_type<float>((_512 - _514) << uint(23))) / _529;
            _530++;
            continue;
        }
    }
}

